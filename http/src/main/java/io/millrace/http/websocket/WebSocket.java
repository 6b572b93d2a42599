package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpSender;
import io.millrace.http.Request;
import io.millrace.http.Response;
import java.util.concurrent.CompletableFuture;

/// One end of a WebSocket, in callback style. Any thread may use it; messages keep the order of one thread's
/// calls.
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

    /// Agrees to a request for a WebSocket, and opens a handler for it. Other requests are answered with 426,
    /// those of pages from other origins with 403.
    static Response accept(Request request, WebSocketOpener opener) {
        return accept(request, WebSocketSettings.standard(), opener);
    }

    /// The same with settings.
    static Response accept(Request request, WebSocketSettings settings, WebSocketOpener opener) {
        return ServerHandshake.answer(
                request, settings, (opening, calls) -> new CallbackSocket(opening, calls, opener));
    }

    /// Agrees to a request for a WebSocket, and runs a session with it on a virtual thread of its own; otherwise
    /// as [#accept].
    static Response serve(Request request, WebSocketSession session) {
        return serve(request, WebSocketSettings.standard(), session);
    }

    /// The same with settings.
    static Response serve(Request request, WebSocketSettings settings, WebSocketSession session) {
        return ServerHandshake.answer(request, settings, (opening, _) -> new DirectSocket(opening, session));
    }

    /// Asks a server for a WebSocket, and opens a handler for it. The future completes with the socket, on its
    /// loop, after the handler was opened.
    ///
    /// @param request of [#request], with fields of the caller
    static CompletableFuture<WebSocket> connect(
            HttpSender client, Request request, WebSocketSettings settings, WebSocketOpener opener) {
        return ClientHandshake.ask(client, request, settings, opener);
    }

    /// The same with standard settings.
    static CompletableFuture<WebSocket> connect(HttpSender client, Request request, WebSocketOpener opener) {
        return connect(client, request, WebSocketSettings.standard(), opener);
    }

    /// The same for a URI.
    ///
    /// @param uri as `ws://host/path` or `wss://host/path`
    static CompletableFuture<WebSocket> connect(HttpSender client, String uri, WebSocketOpener opener) {
        return connect(client, request(uri), opener);
    }

    /// A request for a WebSocket, to which fields can be added.
    ///
    /// @param uri as `ws://host/path` or `wss://host/path`
    /// @throws IllegalArgumentException for a URI of another kind, or with a fragment
    static Request request(String uri) {
        return WebSocketUri.request(uri);
    }

    // Sending.

    /// Sends a message of text.
    ///
    /// @return false when the socket is closed or closes, or the message was dropped by the policy for slow
    ///     readers
    boolean send(String text);

    /// Sends a message of bytes; as [#send(String)].
    boolean send(Bytes bytes);

    /// Sends a message of text, of which only the newest matters: with [SlowReader#KEEP_NEWEST] it takes the place
    /// of the one with the same key that still waits. Otherwise as [#send(String)].
    boolean sendNewest(String key, String text);

    /// The same with bytes.
    boolean sendNewest(String key, Bytes bytes);

    /// Sends part of a message of text, a frame of its own, which is not compressed. Until the last part, whole
    /// messages of other threads wait. One thread sends the parts of a message.
    ///
    /// @param part ends with a whole character
    /// @return false when the socket is closed or closes
    /// @throws IllegalStateException within a message of bytes
    boolean sendPart(String part, boolean isLast);

    /// The same with bytes.
    boolean sendPart(Bytes part, boolean isLast);

    /// Whether too much waits for the peer. After true, [WebSocketHandler#onWritable] follows when there is room.
    boolean isFull();

    // Receiving.

    /// Stops receiving, so that the peer has to wait. The handler that calls this gets no further message or
    /// part until [#resume], or the end: what has arrived comes before [WebSocketHandler#onClose]. For a handler
    /// that passes on what it gets, while its destination is full.
    void pause();

    /// Receives again.
    void resume();
}
