package io.millrace.cli;

import io.millrace.bytes.Output;
import io.millrace.codec.Group;
import io.millrace.http.BodyWriter;
import io.millrace.http.EventStream;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.http.websocket.WebSocketOpener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// The handler of `millrace http`.
final class HttpSite implements HttpHandler {
    private static final String SERVER = "millrace";
    private static final long MOST_LARGE = 1L << 30;
    private static final byte[] PATTERN = "0123456789abcdef".repeat(256).getBytes(StandardCharsets.US_ASCII);
    private static final Response PLAINTEXT =
            Response.ok("Hello, World!").type("text/plain").setHeader("Server", SERVER);
    private static final Response JSON =
            Response.jsonText("{\"message\":\"Hello, World!\"}").setHeader("Server", SERVER);

    /// Ticks for event streams; a daemon thread, started on first use.
    private static final class Clock {
        static final ScheduledExecutorService TICKS = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("millrace-http-ticks").factory());
    }

    private static final HttpHandler NOWHERE = request -> request.path().equals("/") ? PLAINTEXT : Response.status(404);

    private final HttpHandler elsewhere;
    private final Group<String> chat = new Group<>();
    private final Response talk = page();

    private HttpSite(HttpHandler elsewhere) {
        this.elsewhere = elsewhere;
    }

    /// @param root files, if there is a folder of them
    /// @param closes whether each response is the last of its connection
    static HttpHandler of(Optional<HttpHandler> root, boolean closes) {
        var site = new HttpSite(root.orElse(NOWHERE));
        return closes ? new Closing(site) : site;
    }

    @Override
    public Response handle(Request request) throws Exception {
        var path = request.path();
        return switch (path) {
            case "/plaintext" -> PLAINTEXT;
            case "/json" -> JSON;
            case "/echo" -> echo(request);
            case "/large" -> large(request);
            case "/events" -> Response.events(HttpSite::tick);
            case "/ws" -> socket(request, SocketEcho::new);
            case "/ws/chat" -> socket(request, this::chatWith);
            default -> path.startsWith("/p/") ? Response.ok(path) : elsewhere.handle(request);
        };
    }

    /// A browser that was led here gets a page that opens one.
    private Response socket(Request request, WebSocketOpener opener) {
        var answer = WebSocket.accept(request, SocketEcho.SETTINGS, opener);
        boolean isForPeople = request.header("Accept").orElse("").contains("text/html");
        return answer.status() == 426 && request.method().equals("GET") && isForPeople ? talk : answer;
    }

    private static Response page() {
        try (var file = HttpSite.class.getResourceAsStream("talk.html")) {
            if (file == null) throw new IllegalStateException("there is no resource talk.html");
            return Response.html(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private WebSocketHandler chatWith(WebSocket socket) {
        chat.join(socket);
        return chat::broadcast;
    }

    /// With the request's length, if known.
    private static Response echo(Request request) {
        var response = Response.duplex(200, (part, out) -> out.move(part))
                .type(request.header("content-type").orElse("application/octet-stream"));
        return request.header("content-length")
                .map(length -> response.length(Long.parseLong(length)))
                .orElse(response);
    }

    private static Response large(Request request) {
        long count = count(request.parameter("n").orElse("1048576"));
        return Response.stream(200, pattern(count)).length(count).type("application/octet-stream");
    }

    private static long count(String text) {
        try {
            long count = Long.parseLong(text);
            if (count >= 0 && count <= MOST_LARGE) return count;
        } catch (NumberFormatException _) {
            // Reported below.
        }
        throw new HttpError(400, "n=" + text + " is not a number of bytes: use 0 to " + MOST_LARGE);
    }

    private static BodyWriter pattern(long count) {
        return new BodyWriter() {
            private long left = count;

            @Override
            public boolean write(Output out) {
                int length = (int) Math.min(left, PATTERN.length);
                out.write(PATTERN, 0, length);
                left -= length;
                return left > 0;
            }
        };
    }

    private static void tick(EventStream stream) {
        var ticks = Clock.TICKS.scheduleAtFixedRate(() -> send(stream), 0, 1, TimeUnit.SECONDS);
        stream.onClose(() -> ticks.cancel(false));
    }

    private static void send(EventStream stream) {
        // A peer that does not read misses some events.
        if (!stream.isFull())
            stream.send("tick", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    }

    /// Closes the connection after each response.
    private record Closing(HttpHandler site) implements HttpHandler {
        @Override
        public Response handle(Request request) throws Exception {
            return site.handle(request).close();
        }
    }
}
