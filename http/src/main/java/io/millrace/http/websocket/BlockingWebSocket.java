package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One end of a WebSocket, in direct style. One thread receives; any thread sends.
///
/// ```java
/// WebSocket.serve(request, socket -> {
///     for (String text; (text = socket.receive()) != null; ) socket.send(text);
/// });
/// ```
public interface BlockingWebSocket extends WebSocketEnd, AutoCloseable {
    /// The next message, which must be text; waits for it.
    ///
    /// @return null when the peer has closed in order
    /// @throws io.millrace.net.ProtocolError for bytes; the socket closes with 1003
    /// @throws IOException when the connection has died, or the peer has closed for an error (see
    ///     [WebSocketClosed#code])
    @Nullable
    String receive() throws IOException;

    /// The next message of either kind; otherwise as [#receive].
    @Nullable
    WebSocketMessage receiveAny() throws IOException;

    /// Sends a message of text; waits while too much waits for the peer.
    ///
    /// @throws IOException when the socket has closed
    void send(String text) throws IOException;

    /// Sends a message of bytes; as [#send(String)].
    void send(Bytes bytes) throws IOException;

    @Override
    default void close() {
        WebSocketEnd.super.close();
    }
}
