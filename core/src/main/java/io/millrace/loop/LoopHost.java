package io.millrace.loop;

import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/// What a loop stands on besides its transport: how threads that it does not turn itself begin, wait and go on,
/// and who hears of what user code threw. [#JDK] is the real one; a simulation lets one thread run at a time.
public interface LoopHost {
    LoopHost JDK = new LoopHost() {};

    /// Starts a thread of a session or a dispatched call.
    ///
    /// @param isCarried whether a loop may carry the threads of this builder
    default Thread start(Thread.Builder.OfVirtual builder, boolean isCarried, Runnable life) {
        var thread = builder.unstarted(life);
        thread.start();
        return thread;
    }

    /// Whether what goes on now does so on its loop's thread. Any thread.
    default boolean carries(Standing standing) {
        return standing.hasEarned();
    }

    /// Runs the continuation of a virtual thread for which that is not so, or that has its scheduler from one of ours.
    /// Any thread; must not reject.
    default void runElsewhere(Runnable continuation) {
        LoopThreads.runElsewhere(continuation);
    }

    /// Runs work that may block, on a thread that no loop carries.
    default void blocking(String name, Runnable work) {
        Thread.ofVirtual().name(name).start(work);
    }

    /// Runs work that waits for a file system, on these threads or on others.
    default void waitForFiles(Executor threads, Runnable work) {
        threads.execute(work);
    }

    /// Runs work that computes for a while and does not wait for anything, on one of few threads.
    ///
    /// @return false when too much waits for them already
    default boolean compute(Runnable work) {
        return Computing.take(work);
    }

    /// The calling thread waits until [#unpark], an interrupt, or for no reason.
    default void park(Object waitingFor) {
        LockSupport.park(waitingFor);
    }

    default void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    /// The calling thread, any, is about to hand the loop a task.
    default void addsTask(EventLoop loop) {}

    /// User code, or a task of ours, threw; it is also logged.
    default void threw(Throwable thrown) {}
}
