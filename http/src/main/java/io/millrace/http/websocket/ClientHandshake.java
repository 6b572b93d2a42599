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
import org.jspecify.annotations.Nullable;

/// A client's half of the handshake (RFC 6455 section 4.1), over HTTP/1.1 or HTTP/2, as the connection has it.
final class ClientHandshake implements UpgradeReader<Boolean> {
    private static final String EXTENSIONS = "Sec-WebSocket-Extensions";
    private static final InetSocketAddress NOWHERE = InetSocketAddress.createUnresolved("client", 0);

    private final WebSocketSettings settings;
    private final Handshake handshake;
    private final WebSocketOpener opener;
    private final CompletableFuture<WebSocket> result = new CompletableFuture<>();
    private final @Nullable MessageCoding coding;

    private ClientHandshake(WebSocketSettings settings, WebSocketOpener opener) {
        this.settings = settings;
        this.opener = opener;
        this.handshake = new Handshake(Handshake.newKey(), settings.subprotocols());
        this.coding =
                settings.compresses() ? MessageCoding.offer(settings.keptWindows(), settings.limits(), NOWHERE) : null;
    }

    /// Asks a server.
    ///
    /// @param request with the address of the server, as `http://host/path`, and fields of the caller
    static CompletableFuture<WebSocket> ask(
            HttpSender client, Request request, WebSocketSettings settings, WebSocketOpener opener) {
        var asking = new ClientHandshake(settings, opener);
        var call = client.sendAsync(asking.completed(request), asking);
        var _ = call.whenComplete((_, failure) -> {
            if (failure != null) asking.failed(failure);
        });
        return asking.result;
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
        var answer = to.headers();
        try {
            boolean isCoded = isCoded(answer.all(EXTENSIONS));
            var agreement = new SocketEnd.Agreement(
                    settings, false, answer.first("Sec-WebSocket-Protocol"), isCoded ? coding : null);
            Takeover.Ending ending = (received, _, cause) -> to.witness().upstreamClosed(cause, received);
            SocketEnd.open(new Takeover.Peer(to.end(), StreamCalls.onLoop(), ending), agreement, this::opened);
        } catch (Refusal e) {
            to.end().abort();
            failed(new ProtocolError(String.valueOf(e.getMessage())));
        }
    }

    private boolean isCoded(List<String> lines) throws Refusal {
        if (coding != null) return coding.accepted(lines);
        if (lines.isEmpty()) return false;
        throw new Refusal(502, "an extension that was not offered");
    }

    private Receiver opened(SocketEnd end) {
        var socket = new CallbackSocket(end, opener);
        var _ = end.loop().after(Duration.ZERO, () -> result.complete(socket));
        return socket;
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
        if (result.completeExceptionally(cause) && coding != null) coding.release();
    }
}
