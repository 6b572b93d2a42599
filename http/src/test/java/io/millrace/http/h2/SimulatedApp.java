package io.millrace.http.h2;

import io.millrace.Dispatch;
import io.millrace.Server;
import io.millrace.bytes.Output;
import io.millrace.http.BlockingBody;
import io.millrace.http.BlockingOutput;
import io.millrace.http.BodyWriter;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/// A server on a simulated network that answers in each way there is; what it answers tells one request from another.
record SimulatedApp(Simulation network, boolean mayWait) implements HttpHandler {
    static final int PORT = 80;

    private static final HttpHandler WHOLE = Http.whole(1 << 20, request -> Response.ok(request.bytes(), "text/plain"));

    /// Some networks take less than 15 KB in a second: too little for the usual rate of sixty bodies at a time.
    private static final HttpLimits SLOW = HttpLimits.standard().bodyBytesPerSecond(24);

    static Server serve(Simulation network) {
        var dispatch = switch (network.random(3)) {
            case 0 -> Dispatch.loop();
            case 1 -> Dispatch.virtual();
            default -> Dispatch.pool(1 + network.random(3));
        };
        var app = new SimulatedApp(network, dispatch instanceof Dispatch.OnVirtual);
        return AnyDispatch.serve(network.on(PORT), dispatch, SLOW, app);
    }

    @Override
    public Response handle(Request request) throws Exception {
        int n = Integer.parseInt(request.parameter("n").orElse("0"));
        return switch (request.path()) {
            case "/now" -> Response.ok(new String(pattern(n), StandardCharsets.ISO_8859_1));
            case "/later" -> Response.later(later(n));
            case "/never" -> Response.later(new CompletableFuture<>());
            case "/stream" -> Response.stream(200, writer(n));
            case "/whole" -> WHOLE.handle(request);
            case "/duplex", "/reading" -> Response.duplex(200, (part, out) -> out.move(part));
            case "/waiting" -> mayWait ? Response.ok(request.bytes(), "text/plain") : WHOLE.handle(request);
            case "/blocking" -> Response.blocking(200, out -> echo(request.blockingBody(), out));
            default -> Response.status(404);
        };
    }

    private static void echo(BlockingBody body, BlockingOutput out) throws IOException {
        while (body.read()) {
            out.output().move(body.input());
            out.flush();
        }
    }

    private CompletableFuture<Response> later(int n) {
        var response = new CompletableFuture<Response>();
        var loop = network.loops().next();
        var _ = loop.after(
                Duration.ofMillis(n % 50),
                () -> response.complete(Response.ok(new String(pattern(n), StandardCharsets.ISO_8859_1))));
        return response;
    }

    private static BodyWriter writer(int length) {
        var all = pattern(length);
        return new BodyWriter() {
            private int at;

            @Override
            public boolean write(Output out) {
                int part = Math.min(all.length - at, 1000);
                out.write(all, at, part);
                at += part;
                return at < all.length;
            }
        };
    }

    /// So many bytes, which no other number begins with.
    static byte[] pattern(int length) {
        var bytes = new byte[length];
        Arrays.fill(bytes, (byte) ('a' + length % 26));
        var number = ("" + length).getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(number, 0, bytes, 0, Math.min(length, number.length));
        return bytes;
    }
}
