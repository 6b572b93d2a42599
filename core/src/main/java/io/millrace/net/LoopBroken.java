package io.millrace.net;

/// An event loop has ended though nobody closed it: the kernel refused something that it cannot do without, or there
/// is a mistake in what it runs. Its connections and listeners are closed; the other loops of its group go on. The
/// cause says why; [io.millrace.EventLoops#broken] tells it at once.
public final class LoopBroken extends IllegalStateException {
    private static final long serialVersionUID = 1;

    /// @param loop its name
    public LoopBroken(String loop, Throwable cause) {
        super("the event loop " + loop + " was broken: " + cause, cause);
    }

    /// The same, for another one who hears of it.
    public LoopBroken(LoopBroken told) {
        super(told.getMessage(), told.getCause());
    }
}
