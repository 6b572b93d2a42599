package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.codec.ReconnectSettings;
import io.millrace.codec.Reconnected;
import io.millrace.codec.Reconnecting;
import io.millrace.http.HttpSender;
import io.millrace.http.Request;
import io.millrace.loop.Failures;
import io.millrace.net.Loop;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/// A client's WebSocket that is opened again when it closes, or cannot be opened. A refusal that would come
/// again, as [WebSocketRefused#mayPass] says, ends it. Otherwise as [io.millrace.codec.Reconnecting]:
///
/// ```java
/// var feed = ReconnectingWebSocket.start(client, loop, Request.get(FEED), (socket, before) -> {
///     socket.send("subscribe EURUSD");
///     return text -> show(text);
/// });
/// ```
/// Any thread may use it.
public final class ReconnectingWebSocket implements AutoCloseable {
    private final Reconnecting<WebSocketMessage> messages;

    /// Makes the handler of a socket.
    @FunctionalInterface
    public interface SocketOpener {
        /// Called for each socket, as that of [WebSocket#connect].
        WebSocketHandler open(WebSocket socket, Reconnected before) throws Exception;
    }

    private ReconnectingWebSocket(Reconnecting<WebSocketMessage> messages) {
        this.messages = messages;
    }

    /// One with standard settings.
    ///
    /// @param loop times the waits
    public static ReconnectingWebSocket start(HttpSender client, Loop loop, Request request, SocketOpener opener) {
        return start(client, loop, () -> request, WebSocketSettings.standard(), ReconnectSettings.standard(), opener);
    }

    /// One with requests and settings of its own.
    ///
    /// @param loop times the waits
    /// @param requests makes the request of each attempt, such as one with a new token; on the loop, where it must
    ///     not block. The caller also takes one, for its name in the log
    /// @param reconnect its `goesOn` is asked with a [WebSocketRefused], a [WebSocketClosed], or what the client
    ///     fails with, and decides alone if it is not the standard one
    public static ReconnectingWebSocket start(
            HttpSender client,
            Loop loop,
            Supplier<Request> requests,
            WebSocketSettings settings,
            ReconnectSettings reconnect,
            SocketOpener opener) {
        var name = name(requests.get());
        return new ReconnectingWebSocket(Reconnecting.start(name, loop, completed(reconnect), attempt -> {
            WebSocketOpener each = socket -> ReopenedSocket.open(socket, attempt, opener);
            var _ = WebSocket.connect(client, requests.get(), settings, each).whenComplete((_, failure) -> {
                if (failure != null) attempt.over(Failures.bare(failure));
            });
        }));
    }

    /// For the log: without the query, which may have a token.
    static String name(Request request) {
        return "WebSocket of " + request.header("Host").orElse("") + request.path();
    }

    private static ReconnectSettings completed(ReconnectSettings reconnect) {
        boolean isStandard =
                reconnect.goesOn().equals(ReconnectSettings.standard().goesOn());
        return isStandard ? reconnect.goesOn(ReconnectingWebSocket::mayPass) : reconnect;
    }

    private static boolean mayPass(Throwable failure) {
        return !(failure instanceof WebSocketRefused refused) || refused.mayPass();
    }

    /// Sends a message of text, or keeps it until there is a socket; as [Reconnecting#send].
    public boolean send(String text) {
        return messages.send(new WebSocketMessage.Text(text));
    }

    /// Sends a message of bytes; as [#send(String)].
    public boolean send(Bytes bytes) {
        return messages.send(new WebSocketMessage.Binary(bytes));
    }

    /// As [Reconnecting#isFull].
    public boolean isFull() {
        return messages.isFull();
    }

    /// Whether there is a socket, for all that is known.
    public boolean isConnected() {
        return messages.isConnected();
    }

    /// As [Reconnecting#ended].
    public CompletionStage<Void> ended() {
        return messages.ended();
    }

    /// Closes its socket with 1000, behind what was sent, and opens no other.
    @Override
    public void close() {
        messages.close();
    }
}
