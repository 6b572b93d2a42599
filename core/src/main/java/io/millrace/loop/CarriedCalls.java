package io.millrace.loop;

import org.jspecify.annotations.Nullable;

/// Calls of handlers on virtual threads that the loop carries. A thread makes one call after the other until one
/// waits; then the next thread takes the rest, and the first one ends with its call. So a call costs the start of a
/// thread only if it waits, or changes its thread's state.
///
/// Handlers that have not earned the loop get a thread for each call, on the JDK's scheduler.
final class CarriedCalls {
    private final EventLoop loop;
    private final CallQueue calls = new CallQueue();
    private final CarriedThread.Life work = this::work;

    /// How many more calls this turn makes.
    private int left;

    CarriedCalls(EventLoop loop) {
        this.loop = loop;
    }

    /// By the loop's thread.
    void make(LentCall call) {
        var standing = call.standing();
        if (loop.threads().carries() && loop.host().carries(standing)) calls.add(call);
        // A thread that one of ours starts would inherit its state.
        else if (loop.carriage().running() == null
                || !loop.returned(() -> loop.threads().startHandler(standing, call)))
            loop.threads().startHandler(standing, call);
    }

    boolean areWaiting() {
        return calls.size() > 0;
    }

    /// Makes the calls that are due in this turn. By the loop's own thread.
    ///
    /// @return whether there were any
    boolean run() {
        left = calls.size();
        if (left == 0) return false;
        if (loop.isClosed()) leave();
        while (left > 0) {
            loop.threads().startMaker(work);
            loop.carriage().runReady();
        }
        return true;
    }

    /// The loop no longer carries threads: the JDK's scheduler runs the last calls.
    private void leave() {
        for (var call = next(); call != null; call = next()) loop.threads().startHandler(call.standing(), call);
    }

    /// The loop is stuck: makes the waiting calls elsewhere. Any thread.
    void goElsewhere() {
        for (var call = calls.steal(); call != null; call = calls.steal())
            loop.threads().callElsewhere(call);
    }

    private void work() {
        var thread = loop.carriage().running();
        if (thread == null) throw new IllegalStateException("calls are made by a thread that the loop carries");
        thread.ends();
        do {
            var call = next();
            if (call == null) return;
            thread.standing(call.standing());
            loop.totals().steps.add(1);
            try {
                call.run();
            } catch (Throwable e) {
                loop.failed("handler", e);
            }
            // The next call must not see what this one left, such as an interrupt or a user's identity.
        } while (loop.inLoop() && !LoopThreads.isUsed());
    }

    private @Nullable LentCall next() {
        var call = left == 0 ? null : calls.poll();
        left = call == null ? 0 : left - 1;
        return call;
    }
}
