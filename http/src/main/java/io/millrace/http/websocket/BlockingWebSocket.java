package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpSender;
import io.millrace.http.Request;
import io.millrace.loop.EventLoop;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// One end of a WebSocket, in direct style. One thread receives; any thread sends.
///
/// ```java
/// WebSocket.serve(request, socket -> {
///     for (String text; (text = socket.receive()) != null; ) socket.send(text);
/// });
///
/// try (var socket = BlockingWebSocket.connect(client, "ws://localhost:8080/echo")) {
///     socket.send("hello");
///     System.out.println(socket.receive());
/// }
/// ```
public interface BlockingWebSocket extends WebSocketEnd, AutoCloseable {
    /// Asks a server for a WebSocket, and waits for it. Who closes it does not wait for the peer.
    ///
    /// @param uri as `ws://host/path` or `wss://host/path`
    /// @throws WebSocketRefused when the server answers with something else
    /// @throws IOException when it cannot be reached, or does not answer
    static BlockingWebSocket connect(HttpSender client, String uri) throws IOException {
        return connect(client, WebSocket.request(uri), WebSocketSettings.standard());
    }

    /// The same with settings.
    ///
    /// @param request of [WebSocket#request], with fields of the caller
    static BlockingWebSocket connect(HttpSender client, Request request, WebSocketSettings settings)
            throws IOException {
        EventLoop.checkMayWait("connecting in direct style", "use WebSocket.connect(…)");
        var asked = ClientHandshake.ask(client, request, settings);
        try {
            return asked.get();
        } catch (InterruptedException _) {
            asked.cancel(true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a WebSocket");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) throw io;
            throw new IOException(e.getCause());
        }
    }

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

    /// The next part of a message, as it arrives, with [WebSocketSettings#partBytes]; otherwise a whole message.
    /// Else as
    /// [#receive].
    @Nullable
    WebSocketPart receivePart() throws IOException;

    /// Sends a message of text; waits while too much waits for the peer.
    ///
    /// @throws IOException when the socket has closed
    void send(String text) throws IOException;

    /// Sends a message of bytes; as [#send(String)].
    void send(Bytes bytes) throws IOException;

    /// Sends a message of text, of which only the newest matters: with [SlowReader#KEEP_NEWEST] it does not wait,
    /// but takes the place of the one with the same key that does. Otherwise as [#send(String)].
    void sendNewest(String key, String text) throws IOException;

    /// The same with bytes.
    void sendNewest(String key, Bytes bytes) throws IOException;

    /// Sends part of a message of text, a frame of its own, which is not compressed; waits while too much waits
    /// for the peer. Until the last part, whole messages of other threads wait. One thread sends the parts of a
    /// message.
    ///
    /// @param part ends with a whole character
    /// @throws IOException when the socket has closed
    /// @throws IllegalStateException within a message of bytes
    void sendPart(String part, boolean isLast) throws IOException;

    /// The same with bytes.
    void sendPart(Bytes part, boolean isLast) throws IOException;

    @Override
    default void close() {
        WebSocketEnd.super.close();
    }
}
