package io.millrace.loop;

/// A wait of ours that ends when a loop has done something. A thread parks with it ([LockSupport#getBlocker]), so that
/// the watchdog finds waits that stop the very loop which has to end them.
interface LoopWait {
    /// A carried thread leaves its loop when it waits, but not with such a frame on its stack.
    String PINNED =
            "in a static initialiser, or called by native code, where a thread cannot leave its event loop, which"
                    + " stood still; wait for it before, or on another thread (loop.blocking)";

    String LOCKED =
            "in a lock that its event loop waits for, and that loop would have to end the wait; release the lock"
                    + " before you wait, or do not take it in a callback";

    /// Any thread.
    boolean isEndedBy(EventLoop loop);

    /// Which of its waits, when there are several in turn; any thread.
    int number();

    /// This wait has to give up, unless it is over: the thread goes on and throws. By the watchdog.
    ///
    /// @param why where it waits, and what to do about it
    void giveUp(Thread waiting, int number, String why);
}
