package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One end of a WebSocket, in direct style. One thread receives; any thread sends.
///
/// ```java
/// WebSocket.serve(request, socket -> {
///     for (String text; (text = socket.receive()) != null; ) socket.send(text);
/// });
/// ```
public interface BlockingWebSocket extends AutoCloseable {
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

    /// Closes with 1000, behind what was sent; does not wait for the peer.
    @Override
    default void close() {
        close(CloseCode.NORMAL, "");
    }

    /// As [WebSocket#close(int, String)].
    void close(int code, String reason);

    /// Drops the connection or stream now.
    void abort();

    /// The subprotocol that both sides speak.
    Optional<String> subprotocol();

    /// The peer's address.
    SocketAddress remote();
}
