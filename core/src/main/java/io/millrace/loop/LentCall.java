package io.millrace.loop;

/// A call of user code with something on loan, on a thread other than the loop's own.
interface LentCall extends Runnable {
    /// Of the code that is called.
    Standing standing();
}
