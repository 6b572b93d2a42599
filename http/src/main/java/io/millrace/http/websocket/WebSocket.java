package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpSender;
import io.millrace.http.Request;
import io.millrace.http.Response;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// One end of a WebSocket, in callback style. Any thread may use it; messages keep the order of one thread's calls.
///
/// ```java
/// Http.listen(8080, request -> switch (request.path()) {
///     case "/echo" -> WebSocket.accept(request, socket -> text -> socket.send(text));
///     default -> Response.status(404);
/// });
/// ```
/// What the peer does not read waits here, up to [WebSocketSettings#queueBytes]; then the policy for slow readers
/// decides ([WebSocketSettings#slowReader]).
public interface WebSocket {
    // Doors.

    /// Agrees to a request for a WebSocket, and opens a handler for it. Other requests are answered with 426, those of
    /// pages from other origins with 403.
    static Response accept(Request request, WebSocketOpener opener) {
        return accept(request, WebSocketSettings.standard(), opener);
    }

    /// The same with settings.
    static Response accept(Request request, WebSocketSettings settings, WebSocketOpener opener) {
        return ServerHandshake.answer(request, settings, opening -> new CallbackSocket(opening, opener));
    }

    /// Agrees to a request for a WebSocket, and runs a session with it on a virtual thread of its own; otherwise as
    /// [#accept].
    static Response serve(Request request, WebSocketSession session) {
        return serve(request, WebSocketSettings.standard(), session);
    }

    /// The same with settings.
    static Response serve(Request request, WebSocketSettings settings, WebSocketSession session) {
        return ServerHandshake.answer(request, settings, opening -> new DirectSocket(opening, session));
    }

    /// Asks a server for a WebSocket, and opens a handler for it. The future completes with the socket, on its loop,
    /// after the handler was opened.
    ///
    /// @param request as `Request.get("http://host/path")`, with fields of the caller
    static CompletableFuture<WebSocket> connect(
            HttpSender client, Request request, WebSocketSettings settings, WebSocketOpener opener) {
        return ClientHandshake.ask(client, request, settings, end -> new CallbackSocket(end, opener))
                .thenApply(socket -> socket);
    }

    /// The same with standard settings.
    static CompletableFuture<WebSocket> connect(HttpSender client, Request request, WebSocketOpener opener) {
        return connect(client, request, WebSocketSettings.standard(), opener);
    }

    // Sending.

    /// Sends a message of text.
    ///
    /// @return false when the socket is closed or closes, or the message was dropped by the policy for slow readers
    boolean send(String text);

    /// Sends a message of bytes; as [#send(String)].
    boolean send(Bytes bytes);

    /// Whether too much waits for the peer. After true, [WebSocketHandler#onWritable] follows when there is room.
    boolean isFull();

    // Ending.

    /// Closes with 1000, behind what was sent.
    default void close() {
        close(CloseCode.NORMAL, "");
    }

    /// Sends a close frame behind what was sent, and closes when the peer has answered, or after
    /// [WebSocketSettings#closeTimeout]. Without effect when the socket closes already.
    ///
    /// @param code   1000 to 1014 but 1004 to 1006, or 3000 to 4999
    /// @param reason at most 123 bytes of UTF-8
    /// @throws IllegalArgumentException for another code, and for a longer reason
    void close(int code, String reason);

    /// Drops the connection or stream now, with what was not sent.
    void abort();

    // What it is.

    /// The subprotocol that both sides speak.
    Optional<String> subprotocol();

    /// The peer's address; valid also after the end.
    SocketAddress remote();
}
