package io.millrace.http.exchange;

/// A response that takes more than the call of its handler.
interface PendingResponse {
    /// Goes on: at the beginning, when there is room again, and when what it waited for has happened.
    void go() throws Exception;

    /// The same, where it may call user code that leaves the call.
    ///
    /// @return false when that has happened: nothing may be touched any more
    default boolean goOn() throws Exception {
        go();
        return true;
    }

    /// The connection has died before it was complete; called once.
    void breakOff();

    /// Bytes of its body so far.
    default long sent() {
        return 0;
    }
}
