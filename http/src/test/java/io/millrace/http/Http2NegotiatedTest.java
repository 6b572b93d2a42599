package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.http.door.AnyDispatch;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Which version a client and a server of ours agree on over TLS, and how many connections that takes.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2NegotiatedTest {
    private static final TlsIdentity IDENTITY = TlsIdentity.selfSigned("localhost");
    private static final TlsClient TRUSTING = Tls.client().trusting(IDENTITY.chain());
    private static final TlsServer BOTH = Tls.server(IDENTITY).speaking("h2", "http/1.1");
    private static final TlsServer ONLY_OLD = Tls.server(IDENTITY).speaking("http/1.1");

    private final Set<String> protocols = ConcurrentHashMap.newKeySet();
    private final Set<SocketAddress> peers = ConcurrentHashMap.newKeySet();

    private Serving serve(TransportKind transport, TlsServer tls, HttpHandler app) {
        var loops = Serving.setup(transport).threads(1).start();
        return new Serving(
                loops,
                AnyDispatch.serve(
                        Serving.free(loops).through(tls),
                        Dispatch.virtual(),
                        HttpLimits.standard(),
                        served -> protocols.add(served.protocol()),
                        request -> {
                            peers.add(request.remote());
                            return app.handle(request);
                        }));
    }

    private static Asking asking(HttpVersion version) {
        return Asking.start(settings -> settings.tls(TRUSTING).version(version));
    }

    private static String url(Serving serving) {
        return "https://localhost:" + serving.server().port() + "/";
    }

    private static List<CompletableFuture<Response>> askAll(Asking asking, String url, int count) {
        var all = new ArrayList<CompletableFuture<Response>>();
        for (int i = 0; i < count; i++)
            all.add(asking.client().sendAsync(Request.get(url)).toCompletableFuture());
        return all;
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void requests_at_the_same_time_share_one_connection(TransportKind transport) throws Exception {
        var allAreHere = new CountDownLatch(50);
        try (var serving = serve(transport, BOTH, _ -> {
                    allAreHere.countDown();
                    allAreHere.await();
                    return Response.ok("hello");
                });
                var asking = asking(HttpVersion.NEGOTIATED)) {
            for (var one : askAll(asking, url(serving), 50))
                assertEquals("hello", one.get().text());
            assertEquals(1, peers.size());
        }
        assertEquals(Set.of("HTTP/2.0"), protocols);
    }

    @Test
    void more_requests_than_a_connection_takes_make_another_one() throws Exception {
        var allAreHere = new CountDownLatch(150);
        try (var serving = serve(TransportKind.NIO, BOTH, _ -> {
                    allAreHere.countDown();
                    allAreHere.await();
                    return Response.ok("hello");
                });
                var asking = asking(HttpVersion.NEGOTIATED)) {
            for (var one : askAll(asking, url(serving), 150))
                assertEquals("hello", one.get().text());
            assertEquals(2, peers.size());
        }
    }

    @Test
    void with_an_old_server_each_request_at_the_same_time_has_its_connection() throws Exception {
        var allAreHere = new CountDownLatch(10);
        try (var serving = serve(TransportKind.NIO, ONLY_OLD, _ -> {
                    allAreHere.countDown();
                    allAreHere.await();
                    return Response.ok("hello");
                });
                var asking = asking(HttpVersion.NEGOTIATED)) {
            for (var one : askAll(asking, url(serving), 10))
                assertEquals("hello", one.get().text());
            assertEquals(10, peers.size());
        }
        assertEquals(Set.of("HTTP/1.1"), protocols);
    }

    @ParameterizedTest
    @CsvSource({"NEGOTIATED,HTTP/2.0", "HTTP_1_1,HTTP/1.1", "HTTP_2,HTTP/2.0"})
    void the_client_says_what_it_speaks(HttpVersion version, String protocol) throws IOException {
        try (var serving = serve(TransportKind.NIO, BOTH, request -> Response.ok(request.text()));
                var asking = asking(version)) {
            var request = Request.post(url(serving), Bytes.utf8("hello"));
            assertEquals("hello", asking.client().send(request).text());
        }
        assertEquals(Set.of(protocol), protocols);
    }

    @Test
    void a_client_that_speaks_nothing_else_fails_with_an_old_server() throws Exception {
        try (var serving = serve(TransportKind.NIO, ONLY_OLD, _ -> Response.ok("hello"));
                var asking = asking(HttpVersion.HTTP_2)) {
            for (var one : askAll(asking, url(serving), 3)) {
                var error = assertThrows(ExecutionException.class, one::get);
                assertTrue(error.getCause() instanceof IOException, error::toString);
            }
        }
    }
}
