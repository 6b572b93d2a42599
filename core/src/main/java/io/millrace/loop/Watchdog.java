package io.millrace.loop;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// Looks after loops that do not turn: blocking code in a callback, a virtual thread that computes. One thread
/// for a group of loops; what it finds becomes a log line with the loop's stack and a flight recorder event, once
/// for each stall.
final class Watchdog implements AutoCloseable {
    private static final int STACK_LINES = 24;

    private final List<EventLoop> loops;
    private final List<Thread> threads;
    private final long stallNanos;
    private final long[] told;
    private final Thread thread;

    Watchdog(String name, List<EventLoop> loops, List<Thread> threads, Duration stall) {
        this.loops = loops;
        this.threads = threads;
        this.stallNanos = stall.toNanos();
        this.told = new long[loops.size()];
        this.thread = Thread.ofPlatform().name(name + "-watchdog").daemon().unstarted(this::watch);
        if (stallNanos > 0) thread.start();
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(Duration.ofNanos(stallNanos / 2));
                for (int i = 0; i < loops.size(); i++) look(i);
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private void look(int index) {
        var loop = loops.get(index);
        long busyNanos = loop.busyNanos();
        long turn = loop.totals().turns.get();
        if (busyNanos < stallNanos || told[index] == turn + 1) return;
        told[index] = turn + 1;
        loop.totals().stalls.add(1);
        var stack = Arrays.stream(threads.get(index).getStackTrace())
                .limit(STACK_LINES)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
        if (Events.areOn()) new Events.Stalled(loop.name(), busyNanos, stack).commit();
        Guard.STALL.acted(
                loop.name(),
                "the turn has been running for " + busyNanos / 1_000_000
                        + " ms: move blocking work to Dispatch.virtual(), loop.blocking(…) or direct style" + stack);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
