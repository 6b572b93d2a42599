package io.millrace.http.websocket;

import io.millrace.bytes.Input;
import io.millrace.http.HttpSender;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.Takeover;
import io.millrace.http.message.UpgradeReader;
import io.millrace.http.message.Upgraded;
import io.millrace.http.ws.MessageCoding;
import io.millrace.loop.StreamCalls;
import io.millrace.net.ProtocolError;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A client's half of the handshake (RFC 6455 section 4.1), over HTTP/1.1 or HTTP/2, as the connection has it.
final class ClientHandshake implements UpgradeReader<Boolean> {
    private static final String EXTENSIONS = "Sec-WebSocket-Extensions";
    private static final InetSocketAddress NOWHERE = InetSocketAddress.createUnresolved("client", 0);

    private final WebSocketSettings settings;
    private final Handshake handshake;
    private final ReceiverFactory receivers;
    private final CompletableFuture<?> result;
    private final @Nullable MessageCoding coding;

    /// Who comes first has the coding: the socket, or a failure.
    private final AtomicBoolean isDecided = new AtomicBoolean();

    private ClientHandshake(WebSocketSettings settings, CompletableFuture<?> result, ReceiverFactory receivers) {
        this.settings = settings;
        this.result = result;
        this.receivers = receivers;
        this.handshake = new Handshake(Handshake.newKey(), settings.subprotocols());
        this.coding = settings.mayCompress()
                ? MessageCoding.offer(settings.keptWindows(), settings.limits(), () -> NOWHERE)
                : null;
    }

    /// Asks a server for a socket in callback style.
    ///
    /// @param request with the address of the server, as `http://host/path`, and fields of the caller
    static CompletableFuture<WebSocket> ask(
            HttpSender client, Request request, WebSocketSettings settings, WebSocketOpener opener) {
        var result = new CompletableFuture<WebSocket>();
        ask(
                client,
                request,
                new ClientHandshake(
                        settings, result, (end, calls) -> opened(result, end, new CallbackSocket(end, calls, opener))));
        return result;
    }

    /// The same in direct style.
    static CompletableFuture<BlockingWebSocket> ask(HttpSender client, Request request, WebSocketSettings settings) {
        var result = new CompletableFuture<BlockingWebSocket>();
        ask(
                client,
                request,
                new ClientHandshake(settings, result, (end, _) -> opened(result, end, new DirectSocket(end, null))));
        return result;
    }

    private static void ask(HttpSender client, Request request, ClientHandshake asking) {
        var call = client.sendAsync(asking.completed(request), asking);
        var _ = call.whenComplete((_, failure) -> {
            if (failure != null) asking.failed(failure);
        });
        // Who asked may give up.
        var _ = asking.result.whenComplete((_, failure) -> {
            if (failure != null) call.cancel(true);
        });
    }

    /// The result completes when the socket can be used.
    private static <T extends Receiver> T opened(CompletableFuture<? super T> result, SocketEnd end, T socket) {
        var _ = end.loop().after(Duration.ZERO, () -> {
            if (!result.complete(socket)) end.abort();
        });
        return socket;
    }

    private Request completed(Request request) {
        var complete = request.setHeader("Sec-WebSocket-Key", handshake.key()).setHeader("Sec-WebSocket-Version", "13");
        if (!handshake.offered().isEmpty())
            complete = complete.setHeader("Sec-WebSocket-Protocol", String.join(", ", handshake.offered()));
        return coding == null ? complete : complete.setHeader(EXTENSIONS, coding.text());
    }

    @Override
    public Optional<Handshake> handshake() {
        return Optional.of(handshake);
    }

    @Override
    public void onUpgrade(Upgraded to) {
        if (isDecided.getAndSet(true)) {
            // Who asked has given up.
            to.end().abort();
            return;
        }
        var answer = to.headers();
        try {
            boolean isCoded = isCoded(answer.all(EXTENSIONS));
            var agreement = new SocketEnd.Agreement(
                    settings, false, answer.first("Sec-WebSocket-Protocol"), isCoded ? coding : null);
            Takeover.Ending ending = (received, _, cause) -> to.witness().upstreamClosed(cause, received);
            SocketEnd.open(new Takeover.Peer(to.end(), StreamCalls.onLoop(), ending), agreement, receivers);
        } catch (Refusal e) {
            // Which has released the coding.
            to.end().abort();
            result.completeExceptionally(new ProtocolError(String.valueOf(e.getMessage())));
        }
    }

    private boolean isCoded(List<String> lines) throws Refusal {
        if (coding != null) return coding.accepted(lines);
        if (lines.isEmpty()) return false;
        throw new Refusal(502, "an extension that was not offered");
    }

    @Override
    public void onHead(Response head) {
        failed(new WebSocketRefused(head.status()));
    }

    @Override
    public void onBody(Input part) {
        part.skip(part.remaining());
    }

    @Override
    public Boolean onEnd() {
        return true;
    }

    private void failed(Throwable cause) {
        result.completeExceptionally(cause);
        if (!isDecided.getAndSet(true) && coding != null) coding.release();
    }
}
