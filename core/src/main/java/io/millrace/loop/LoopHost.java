package io.millrace.loop;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/// What a loop needs besides its transport: how other threads start, wait and resume, the time of day, random
/// numbers, and where exceptions of user code go. [#JDK] is the real one; a simulation lets one thread run at a time.
public interface LoopHost {
    LoopHost JDK = new LoopHost() {};

    /// The time of day, in milliseconds since the Unix epoch. Any thread.
    default long wallMillis() {
        return System.currentTimeMillis();
    }

    /// Random numbers, for choices that need not be secret. Any thread; not to be kept for another.
    default RandomGenerator luck() {
        return ThreadLocalRandom.current();
    }

    /// Starts a thread of a session or a dispatched call.
    ///
    /// @param isCarried whether a loop may carry the threads of this builder
    default Thread start(Thread.Builder.OfVirtual builder, boolean isCarried, Runnable life) {
        var thread = builder.unstarted(life);
        thread.start();
        return thread;
    }

    /// Whether a thread of this standing resumes on its loop's thread. Any thread.
    default boolean carries(Standing standing) {
        return standing.hasEarned();
    }

    /// Runs the continuation of a virtual thread that does not, or that inherited its scheduler from one of ours.
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

    /// Runs work that computes for a while without waiting, on one of few threads.
    ///
    /// @return false when too much work waits for them
    default boolean compute(Runnable work) {
        return Computing.take(work);
    }

    /// The calling thread waits until [#unpark] or an interrupt; it may also wake up spuriously.
    default void park(Object waitingFor) {
        LockSupport.park(waitingFor);
    }

    default void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    /// The calling thread, any one, is about to give the loop a task.
    default void addsTask(EventLoop loop) {}

    /// User code, or a task of ours, threw; it is also logged.
    default void threw(Throwable thrown) {}
}
