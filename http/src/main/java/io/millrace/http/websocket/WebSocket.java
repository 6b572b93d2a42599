package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpSender;
import io.millrace.http.Request;
import io.millrace.http.Response;
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
public interface WebSocket extends WebSocketEnd {
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
        return ClientHandshake.ask(client, request, settings, opener);
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
}
