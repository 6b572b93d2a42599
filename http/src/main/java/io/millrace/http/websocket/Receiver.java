package io.millrace.http.websocket;

/// What gets the messages of a socket: in callback style, or in direct style. Called on the loop.
interface Receiver {
    /// The first call.
    void opened();

    /// A message has arrived.
    ///
    /// @param message a [String], or [io.millrace.bytes.Bytes]
    /// @param bytes that it takes
    void message(Object message, long bytes);

    /// There is room again.
    void writable();

    /// The last call: [SocketEnd#closeCode] tells why.
    void closed();
}
