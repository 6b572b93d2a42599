package io.millrace.loop;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Looks after loops that do not turn: blocking code in a callback, a carried thread that computes. One thread for
/// a group of loops; what it finds becomes a log line with the stack of what keeps the loop, the remedy that helps
/// there, and a flight recorder event, once for each stall.
final class Watchdog implements AutoCloseable {
    private static final int STACK_LINES = 24;
    private static final String WITHOUT_CARRIERS =
            "or start without carriers (EventLoops.configure().carriers(false), -Dmillrace.noCarriers=true)";

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
        var carried = loop.carried();
        var stack = stack(carried, threads.get(index));
        if (Events.areOn()) new Events.Stalled(loop.name(), busyNanos, stack).commit();
        Guard.STALL.acted(
                loop.name(),
                "the turn has been running for " + busyNanos / 1_000_000 + " ms: " + remedy(carried) + stack);
    }

    /// Of the virtual thread that the loop runs, whose frames the loop's own stack does not show; otherwise of the
    /// loop. Neither waits for what the thread waits for: a thread that is mounted shows its frames at its next
    /// safepoint, and one that has left the loop meanwhile is stopped for the moment this takes.
    private static String stack(@Nullable CarriedThread carried, Thread loop) {
        var mounted = carried == null ? null : carried.thread();
        return Arrays.stream((mounted == null ? loop : mounted).getStackTrace())
                .limit(STACK_LINES)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
    }

    private static String remedy(@Nullable CarriedThread carried) {
        if (carried == null) {
            return "a callback, a task or a timer keeps the event loop: move what blocks or computes to"
                    + " loop.blocking(…), or run the handlers with Dispatch.pool(n)";
        }
        var remedy = "; a carried thread leaves its event loop where it waits for a connection, a lock or a time, but"
                + " keeps it while it computes, reads files, looks up names or is in native code: move that to"
                + " loop.blocking(…), ";
        return switch (carried.work) {
            case SESSION -> "a session keeps the event loop" + remedy + WITHOUT_CARRIERS;
            case CALLS ->
                "a handler of Dispatch.virtual() keeps the event loop" + remedy + "take Dispatch.pool(n), "
                        + WITHOUT_CARRIERS;
        };
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
