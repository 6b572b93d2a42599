package io.millrace.http.filter;

import io.millrace.net.LoopCounters;
import java.util.List;
import java.util.function.ToLongFunction;

/// The counters of event loops.
final class LoopSamples {
    private final List<LoopCounters> loops;
    private final MetricsText to;

    private LoopSamples(List<LoopCounters> loops, MetricsText to) {
        this.loops = loops;
        this.to = to;
    }

    /// Writes all of them.
    ///
    /// @param loops with distinct names
    static void write(List<LoopCounters> loops, MetricsText to) {
        new LoopSamples(loops, to).write();
    }

    private void write() {
        gauge("millrace_loop_connections", "Open connections.", LoopCounters::connections);
        counter("millrace_loop_accepted", "Accepted connections.", LoopCounters::accepted);
        counter("millrace_loop_closed", "Closed connections.", LoopCounters::closed);
        counter("millrace_loop_failed", "Connections closed by a failure.", LoopCounters::failed);
        counter("millrace_loop_turns", "Turns of the loop.", LoopCounters::turns);
        seconds();
        counter("millrace_loop_stalls", "Turns that took too long.", LoopCounters::stalls);
        counter("millrace_loop_tasks", "Tasks run.", LoopCounters::tasks);
        gauge("millrace_loop_tasks_waiting", "Waiting tasks.", LoopCounters::pendingTasks);
        gauge("millrace_loop_timers", "Waiting timers.", LoopCounters::timers);
        counter("millrace_loop_received_bytes", "Bytes from the kernel.", LoopCounters::bytesReceived);
        counter("millrace_loop_sent_bytes", "Bytes to the kernel.", LoopCounters::bytesSent);
        counter("millrace_loop_accepts_refused", "Times that accepting stopped.", LoopCounters::acceptsRefused);
        counter("millrace_loop_receives_starved", "Times that receiving stopped.", LoopCounters::receivesStarved);
        slabs();
    }

    private void seconds() {
        to.counter("millrace_loop_busy_seconds", "Time that the loop worked and did not wait.");
        for (var loop : loops) to.total(loop.busyNanos() / 1e9, "loop", loop.loop());
    }

    private void slabs() {
        to.gauge("millrace_slab_bytes", "Memory of slabs, by owner.");
        for (var loop : loops) {
            long used = loop.slabBytesInUse();
            to.value(used, "loop", loop.loop(), "owner", "connections");
            to.value(Math.max(0, loop.slabBytesHeld() - used), "loop", loop.loop(), "owner", "pool");
        }
    }

    private void gauge(String name, String help, ToLongFunction<LoopCounters> value) {
        to.gauge(name, help);
        for (var loop : loops) to.value(value.applyAsLong(loop), "loop", loop.loop());
    }

    private void counter(String name, String help, ToLongFunction<LoopCounters> value) {
        to.counter(name, help);
        for (var loop : loops) to.total(value.applyAsLong(loop), "loop", loop.loop());
    }
}
