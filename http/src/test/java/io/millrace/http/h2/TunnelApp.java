package io.millrace.http.h2;

import io.millrace.Connect;
import io.millrace.Tcp;
import io.millrace.http.Headers;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Handshake;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.Relay;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.TcpConnection;
import io.millrace.net.Connection;
import io.millrace.net.Loop;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Opens a tunnel to an address for `CONNECT`, and for a change to WebSocket as HTTP/1.1 asks for it; at `/no` it
/// refuses. It knows nothing of versions.
///
/// @param loops where the far connection runs, from the request's loop
record TunnelApp(SocketAddress to, UnaryOperator<Loop> loops) implements HttpHandler {
    static TunnelApp to(SocketAddress address) {
        return new TunnelApp(address, loop -> loop);
    }

    @Override
    public Response handle(Request request) throws Exception {
        if (request.path().equals("/no")) return Response.status(403);
        if (request.method().equals("CONNECT")) return tunnel(request, 200, Headers.EMPTY);
        var asked = Handshake.of(request.headers());
        if (asked.isEmpty()) return Response.ok(request.method() + " " + request.path());
        if (!request.method().equals("GET")) return Response.status(400);
        var agreed = Headers.builder()
                .add("Upgrade", "websocket")
                .add("Connection", "Upgrade")
                .add("Sec-WebSocket-Accept", Handshake.acceptOf(asked.get().key()))
                .add("X-Mine", request.path())
                .build();
        return tunnel(request, 101, agreed);
    }

    private Response tunnel(Request request, int status, Headers headers) {
        var received = ReceivedRequest.behind(request);
        if (received == null) return Response.status(500);
        var opened = new AtomicReference<@Nullable Connection>();
        var isGone = new AtomicBoolean();
        var relay = new Relay(Optional.empty(), () -> {
            isGone.set(true);
            abort(opened.get());
        });
        var _ = Tcp.connect(Connect.to(to).loop(loops.apply(received.loop())), connection -> {
                    connection.pause();
                    opened.set(connection);
                    if (isGone.get()) connection.abort();
                    else relay.upgrade(new Upgraded(status, headers, TcpConnection.of(connection), (_, _) -> {}));
                    return in -> in.skip(in.remaining());
                })
                .whenComplete((_, failure) -> {
                    if (failure != null) relay.respond(Response.status(502));
                });
        return BuiltResponse.of(200, new Body.Relayed(relay));
    }

    private static void abort(@Nullable Connection connection) {
        if (connection != null) connection.abort();
    }
}
