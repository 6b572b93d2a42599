package io.millrace.net;

/// An event loop has ended without being closed: the kernel refused something essential, or there is a mistake in
/// the code that it runs. Its connections and listeners are closed; the other loops of its group go on. The cause
/// says why; [io.millrace.EventLoops#broken] reports it at once.
public final class LoopBroken extends IllegalStateException {
    private static final long serialVersionUID = 1;

    /// @param loop the loop's name
    public LoopBroken(String loop, Throwable cause) {
        super("the event loop " + loop + " was broken: " + cause, cause);
    }

    /// A copy, to be thrown on another thread.
    public LoopBroken(LoopBroken told) {
        super(told.getMessage(), told.getCause());
    }
}
