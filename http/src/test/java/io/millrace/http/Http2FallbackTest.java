package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.RequiringHttp1;
import io.millrace.http.door.RequiringHttp1.Refusal;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import io.millrace.net.Resolver;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// A server that has agreed on HTTP/2 and refuses a request there, because it takes it only in HTTP/1.1
/// (HTTP_1_1_REQUIRED, RFC 9113 section 7), gets it so.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("NullAway.Init") // each test starts them
class Http2FallbackTest {
    private static final int MANY = 50;

    private EventLoops loops;
    private RequiringHttp1 server;
    private HttpClient client;

    private void start(TransportKind transport, Refusal refusal, UnaryOperator<ClientSettings> choice) {
        loops = Serving.setup(transport).threads(1).start();
        server = RequiringHttp1.start(loops, refusal);
        client = HttpClient.of(choice.apply(ClientSettings.standard()
                .loops(loops)
                .tls(RequiringHttp1.trusting())
                .connections(2)));
    }

    @AfterEach
    void every_slab_comes_home() {
        // There is no io_uring here.
        if (loops == null) return;
        client.close();
        server.close();
        loops.close();
        for (var counters : loops.counters()) assertEquals(0, counters.slabBytesInUse(), counters::toString);
    }

    private String ask(Request request) throws IOException {
        return client.send(request).text();
    }

    private String get(String path) throws IOException {
        return ask(Request.get(server.url() + path));
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_request_is_repeated_whatever_its_method_and_the_next_go_there_at_once(TransportKind transport)
            throws IOException {
        start(transport, Refusal.RESET, settings -> settings);
        var large = "x".repeat(500_000);
        assertEquals("POST /one HTTP/1.1\n" + large, ask(Request.post(server.url() + "/one", Bytes.utf8(large))));
        assertEquals("GET /two HTTP/1.1\n", get("/two"));
        assertEquals("POST /three HTTP/1.1\nshort", ask(Request.post(server.url() + "/three", Bytes.utf8("short"))));
        assertEquals(List.of("h2", "http/1.1"), server.agreed);
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_connection_that_goes_away_for_it_is_not_made_again(TransportKind transport) throws IOException {
        start(transport, Refusal.GOODBYE, settings -> settings);
        assertEquals("POST /one HTTP/1.1\nshort", ask(Request.post(server.url() + "/one", Bytes.utf8("short"))));
        assertEquals("GET /two HTTP/1.1\n", get("/two"));
        assertEquals(List.of("h2", "http/1.1"), server.agreed);
    }

    @ParameterizedTest
    @CsvSource({"RESET, 1", "RESET, 2", "RESET_IN_BODY, 1", "RESET_IN_BODY, 2", "GOODBYE, 1", "GOODBYE, 2"})
    void requests_at_the_same_time_are_repeated_within_the_limit_of_connections(Refusal refusal, int connections)
            throws Exception {
        start(TransportKind.NIO, refusal, settings -> settings.connections(connections));
        var all = new ArrayList<CompletableFuture<Response>>();
        for (int i = 0; i < MANY; i++) {
            var request = Request.post(server.url() + "/" + i, Bytes.utf8("body"));
            all.add(client.sendAsync(request).toCompletableFuture());
        }
        for (int i = 0; i < MANY; i++)
            assertEquals("POST /" + i + " HTTP/1.1\nbody", all.get(i).get().text());
        assertEquals(1, Collections.frequency(server.agreed, "h2"));
        assertEquals(connections, Collections.frequency(server.agreed, "http/1.1"));
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_body_that_was_written_already_fails_and_the_next_request_goes_there(TransportKind transport)
            throws IOException {
        start(transport, Refusal.RESET_IN_BODY, settings -> settings);
        var body = new byte[300_000];
        var error =
                assertThrows(Reset.class, () -> ask(Request.post(server.url() + "/one", new Uploading(body, 10_000))));
        Asking.assertSays("requires HTTP/1.1 for POST " + server.url() + "/one (HTTP_1_1_REQUIRED)", error);
        assertEquals(OptionalInt.of(13), error.code());
        var again =
                Request.post(server.url() + "/one", new Uploading(body, 10_000)).length(body.length);
        var answer = client.send(again).body().toArray();
        assertArrayEquals(body, Arrays.copyOfRange(answer, answer.length - body.length, answer.length));
        assertEquals(List.of("h2", "http/1.1"), server.agreed);
    }

    @Test
    void what_was_learned_outlives_the_connection() throws IOException {
        start(TransportKind.NIO, Refusal.RESET_IN_BODY, settings -> settings);
        var one = Request.post(server.url() + "/one", new Uploading(new byte[100], 100));
        assertThrows(Reset.class, () -> ask(one));
        while (loops.counters().stream().anyMatch(loop -> loop.connections() > 0)) Thread.onSpinWait();
        assertEquals("GET /two HTTP/1.1\n", get("/two"));
        assertEquals(List.of("h2", "http/1.1"), server.agreed);
    }

    /// Without requests that wait, each makes a connection; one of them looks for its address until the other has a
    /// response.
    @Test
    void a_connection_that_was_under_way_meanwhile_is_not_used() throws Exception {
        var isAnswered = new CountDownLatch(1);
        var lookups = new AtomicInteger();
        Resolver second = _ -> {
            if (lookups.incrementAndGet() == 2) await(isAnswered);
            return List.of(InetAddress.getLoopbackAddress());
        };
        start(
                TransportKind.NIO,
                Refusal.RESET,
                settings -> settings.connections(4)
                        .waiting(0)
                        .connect(host -> Connect.to(host).resolver(second)));
        var one = client.sendAsync(Request.get(server.url() + "/one")).toCompletableFuture();
        var two = client.sendAsync(Request.get(server.url() + "/two")).toCompletableFuture();
        CompletableFuture.anyOf(one, two).get();
        isAnswered.countDown();
        assertEquals("GET /one HTTP/1.1\n", one.get().text());
        assertEquals("GET /two HTTP/1.1\n", two.get().text());
        assertEquals(List.of("h2", "http/1.1", "h2"), server.agreed);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_speaks_nothing_else_says_so(Refusal refusal) throws IOException {
        start(TransportKind.NIO, refusal, settings -> settings.version(HttpVersion.HTTP_2));
        var error = assertThrows(ProtocolError.class, () -> ask(Request.post(server.url() + "/", Bytes.utf8("body"))));
        Asking.assertSays("nothing else than HTTP/2 may be spoken there", error);
        assertEquals(List.of("h2"), server.agreed);
    }
}
