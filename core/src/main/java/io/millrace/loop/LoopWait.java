package io.millrace.loop;

/// A wait that ends when a loop has done something. A thread parks with it ([LockSupport#getBlocker]), so that the
/// watchdog finds waits that stop the very loop that has to end them.
interface LoopWait {
    /// A carried thread leaves its loop when it waits, unless such a frame is on its stack.
    String PINNED =
            "in a static initialiser, or called by native code, where a thread cannot leave its event loop, which "
                    + "therefore stood still; wait before, or on another thread (loop.blocking)";

    String LOCKED =
            "with a lock held that its event loop waits for, and that loop would have to end the wait; release the "
                    + "lock before you wait, or do not take it in a callback";

    /// Any thread.
    boolean isEndedBy(EventLoop loop);

    /// The number of the current wait, if there are several in turn; any thread.
    int number();

    /// Ends this wait, unless it is over: the thread resumes and throws. By the watchdog.
    ///
    /// @param why where the thread waits, and what to do about it
    void giveUp(Thread waiting, int number, String why);
}
