package io.millrace.http.exchange;

/// A response that outlasts its handler's call.
interface PendingResponse {
    /// Goes on: at the beginning, when there is room again, and when what it waited for has happened.
    void go() throws Exception;

    /// The same, if it may call user code that leaves the call.
    ///
    /// @return false if that has happened: nothing may be touched any more
    default boolean goOn() throws Exception {
        go();
        return true;
    }

    /// The connection died before the response was complete; called once.
    void breakOff();

    /// Bytes of its body so far.
    default long sent() {
        return 0;
    }
}
