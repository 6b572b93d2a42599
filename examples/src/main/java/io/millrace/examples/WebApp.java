package io.millrace.examples;

import io.millrace.Listen;
import io.millrace.Signals;
import io.millrace.bytes.Input;
import io.millrace.http.BodyReader;
import io.millrace.http.ErrorResponses;
import io.millrace.http.EventStream;
import io.millrace.http.HttpError;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/// Every way to answer, in one small application: `java … WebApp 8080`.
public final class WebApp implements HttpHandler {
    private static final Response PLAIN = Response.ok("Hello, World!").setHeader("Server", "mine");

    private final Set<EventStream> listeners = ConcurrentHashMap.newKeySet();

    public static void main(String[] args) throws InterruptedException {
        HttpFilter tenant = next -> request -> next.handle(request.setHeader("X-Tenant", tenantOf(request)));
        var app = tenant.around(new WebApp());
        ErrorResponses problems = (error, _, _) ->
                Response.jsonText("{\"status\":" + error.status() + "}").withStatus(error.status());
        var settings = HttpSettings.standard().errors(problems);
        var on = Listen.on(Integer.parseInt(args[0]));
        try (var signals = Signals.catchTermination();
                var server = Http.serve(on, settings, app)) {
            signals.await();
            server.drain(Duration.ofSeconds(30));
        }
    }

    /// The first label of the requested host; a client's own `X-Tenant` is replaced.
    private static String tenantOf(Request request) {
        return request.header("Host").orElse("").replaceAll("[.:].*", "");
    }

    @Override
    public Response handle(Request request) {
        return switch (request.path()) {
            case "/" -> PLAIN;
            case "/greet" -> greet(request);
            case "/tenant" -> Response.ok(request.header("X-Tenant").orElse("nobody"));
            case "/square" -> square(request);
            case "/numbers" -> numbers(request);
            case "/checksum" -> checksum();
            case "/echo" -> Response.duplex(200, (part, out) -> out.move(part));
            case "/copy" -> copy(request);
            case "/news" -> news();
            case "/tell" -> tell(request);
            default -> Response.status(404);
        };
    }

    private static Response greet(Request request) {
        var name = request.parameter("name").orElseThrow(() -> new HttpError(400, "no name"));
        return Response.jsonText("{\"greeting\":\"hello, " + name.replaceAll("[^A-Za-z ]", "?") + "\"}");
    }

    /// Computed on another thread.
    private static Response square(Request request) {
        long n = number(request);
        return Response.later(CompletableFuture.supplyAsync(() -> n * n).thenApply(found -> Response.ok("" + found)));
    }

    private static int number(Request request) {
        try {
            return Integer.parseInt(request.parameter("n").orElse(""));
        } catch (NumberFormatException e) {
            throw new HttpError(400, "n is no number");
        }
    }

    /// Written as the peer takes them.
    private static Response numbers(Request request) {
        var rows = IntStream.rangeClosed(1, number(request)).iterator();
        return Response.stream(200, out -> {
            out.writeUtf8(rows.next() + "\n");
            return rows.hasNext();
        });
    }

    /// Of a body of any length, which is never held in memory.
    private static Response checksum() {
        return Response.reading(new BodyReader() {
            private final CRC32 sum = new CRC32();

            @Override
            public void onBody(Input part) {
                while (!part.isEmpty()) sum.update(part.readByte());
            }

            @Override
            public Response onEnd() {
                return Response.ok(HexFormat.of().toHexDigits((int) sum.getValue()));
            }
        });
    }

    /// In plain blocking code, wherever handlers run.
    private static Response copy(Request request) {
        return Response.blocking(200, out -> {
            var body = request.blockingBody();
            while (body.read()) out.output().move(body.input());
        });
    }

    /// For a browser's `EventSource`.
    private Response news() {
        return Response.events(stream -> {
            listeners.add(stream);
            stream.onClose(() -> listeners.remove(stream));
        });
    }

    private Response tell(Request request) {
        var text = request.text();
        for (var listener : listeners) if (!listener.isFull()) listener.send(text);
        return Response.status(204);
    }
}
