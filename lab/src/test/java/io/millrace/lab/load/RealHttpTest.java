package io.millrace.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Load on the real HTTP server, over real sockets.
class RealHttpTest {
    private static final int REQUESTS = 2000;
    private static final HttpMessages GET = HttpMessages.get("localhost", "/");

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void counts_requests_one_at_a_time_and_pipelined(TransportKind transport) throws Exception {
        for (int depth : new int[] {1, 16}) {
            var result = run(transport, request -> Response.ok("hello"), load -> load.depth(depth));
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
            assertEquals(Map.of("2xx", (long) REQUESTS), result.statuses());
            assertTrue(result.latency().maxMicros() > 0, result::toString);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void pipelined_responses_belong_to_their_requests(TransportKind transport) throws Exception {
        var asked = new AtomicInteger();
        HttpHandler everyTenthIsShort = request -> Response.ok(asked.incrementAndGet() % 10 == 0 ? "hell" : "hello");
        var result = run(
                transport,
                everyTenthIsShort,
                load -> load.connections(1).depth(16).with(GET.expectingLength(5)));
        assertEquals("response 9 on connection 0 has a body of 4 bytes instead of 5", result.firstError());
        assertEquals(REQUESTS / 10, result.errors());
        assertEquals(REQUESTS - REQUESTS / 10, result.messages());
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void reads_large_bodies_in_chunks(TransportKind transport) throws Exception {
        var part = new byte[10_000];
        HttpHandler chunks = request -> {
            var left = new AtomicInteger(30);
            return Response.stream(200, out -> {
                out.write(part, 0, part.length);
                return left.decrementAndGet() > 0;
            });
        };
        var result = run(transport, chunks, load -> load.depth(2).messages(200).with(GET.expectingLength(300_000)));
        assertEquals("", result.firstError());
        assertEquals(200, result.messages());
        assertTrue(result.bytes() > 300_000L * 200, result::toString);
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void sends_large_bodies(TransportKind transport) throws Exception {
        HttpHandler length =
                Http.whole(1 << 20, request -> Response.ok("" + request.body().remaining()));
        var messages = GET.method("POST").body(Bytes.of(new byte[300_000])).expectingLength(6);
        var result = run(transport, length, load -> load.depth(2).messages(200).with(messages));
        assertEquals("", result.firstError());
        assertEquals(200, result.messages());
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void each_request_may_have_a_connection_of_its_own(TransportKind transport) throws Exception {
        var result = run(transport, request -> Response.ok("hello"), load -> load.with(GET.closing()));
        assertEquals("", result.firstError());
        assertEquals(REQUESTS, result.messages());
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void connections_that_the_server_closes_are_replaced(TransportKind transport) throws Exception {
        for (int depth : new int[] {1, 16}) {
            var asked = new AtomicInteger();
            HttpHandler closing = request -> {
                var response = Response.ok("hello");
                return asked.incrementAndGet() % 7 == 0 ? response.close() : response;
            };
            var result = run(transport, closing, load -> load.depth(depth));
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void counts_requests_in_streams(TransportKind transport) throws Exception {
        for (int streams : new int[] {1, 10, 200}) {
            var result = run(
                    transport,
                    request -> Response.ok("hello"),
                    load -> load.with(GET.overHttp2("http")).depth(streams));
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
            assertEquals(Map.of("2xx", (long) REQUESTS), result.statuses());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void sends_large_bodies_in_streams(TransportKind transport) throws Exception {
        var messages = GET.method("POST").body(Bytes.of(new byte[300_000])).expectingLength(300_000);
        var result = run(
                transport,
                Http.whole(1 << 20, request -> Response.ok(request.bytes(), "application/octet-stream")),
                load -> load.with(messages.overHttp2("http")).depth(5).messages(200));
        assertEquals("", result.firstError());
        assertEquals(200, result.messages());
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL"})
    void an_open_loop_sends_what_is_due(TransportKind transport) throws Exception {
        var result = run(transport, request -> Response.ok("hello"), load -> load.rate(10_000));
        assertEquals("", result.firstError());
        assertEquals(REQUESTS, result.messages());
    }

    @Test
    void several_loops_agree_on_the_length_of_bodies() throws Exception {
        try (var loops = EventLoops.of(2);
                var server = Http.listen(here(loops), request -> Response.ok("hello"))) {
            var result = RunningLoad.start(settings(server), loops).await(LoadWatch.nobody());
            assertEquals("", result.firstError());
            assertEquals(REQUESTS, result.messages());
        }
    }

    @Test
    void a_result_is_written_as_json(@TempDir Path folder) throws Exception {
        var file = folder.resolve("result.json");
        try (var loops = EventLoops.of(1);
                var server = Http.listen(here(loops), request -> Response.ok("hello"))) {
            var settings = settings(server).with(GET.expectingStatus(200));
            LoadJson.write(file, settings, RunningLoad.start(settings, loops).await(LoadWatch.nobody()));
        }
        var json = Files.readString(file);
        assertTrue(json.contains("\"target\" : \"/\""), json);
        assertTrue(json.contains("\"status\" : \"200\""), json);
        assertTrue(json.contains("\"2xx\" : " + REQUESTS), json);
    }

    private static LoadResult run(TransportKind transport, HttpHandler handler, UnaryOperator<LoadSettings> change)
            throws Exception {
        var configured = EventLoops.configure().transport(transport).threads(1);
        try (var loops = configured.start();
                var serverLoops = configured.start();
                var server = Http.listen(here(serverLoops), handler)) {
            var load = RunningLoad.start(change.apply(settings(server)), loops);
            var result = load.await(LoadWatch.nobody());
            load.closed().toCompletableFuture().get();
            assertEquals(0, loops.counters().getFirst().slabBytesInUse());
            return result;
        }
    }

    private static LoadSettings settings(Server server) {
        return LoadSettings.to(server.address())
                .with(GET)
                .connections(10)
                .warmUp(Duration.ZERO)
                .messages(REQUESTS);
    }

    private static Listen here(EventLoops loops) {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }
}
