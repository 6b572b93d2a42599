package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.HandOver;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.TransportKind;
import io.millrace.Transports;
import io.millrace.http.door.AnyDispatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What connections of HTTP hear when another process has taken over.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@EnabledOnOs(OS.LINUX)
class HandedOverTest {
    @TempDir
    Path folder;

    private record Serves(HandOver handOver, EventLoops loops, Server server, CountDownLatch isTaken)
            implements AutoCloseable {
        @Override
        public void close() {
            server.close();
            loops.close();
            handOver.close();
        }
    }

    private Serves serve(TransportKind transport, Dispatch dispatch, HttpHandler app) throws IOException {
        Transports.unavailableBecause(transport).ifPresent(why -> abort(transport + " does not work here: " + why));
        var handOver = HandOver.at(folder.resolve("next.sock"));
        var loops = EventLoops.configure().transport(transport).threads(2).start();
        var listen = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops)
                .handOver(handOver);
        var server = AnyDispatch.serve(listen, dispatch, HttpLimits.standard(), app);
        var isTaken = new CountDownLatch(1);
        handOver.ready(isTaken::countDown);
        return new Serves(handOver, loops, server, isTaken);
    }

    private static Dispatch dispatch(String name) {
        return switch (name) {
            case "virtual" -> Dispatch.virtual();
            case "pool" -> Dispatch.pool(2);
            default -> Dispatch.loop();
        };
    }

    @ParameterizedTest
    @CsvSource({"EPOLL, loop", "EPOLL, virtual", "EPOLL, pool", "URING, loop", "URING, virtual"})
    void a_connection_that_waits_for_a_request_is_answered_until_an_answer_says_that_it_is_the_last(
            TransportKind transport, String where) throws Exception {
        try (var first = serve(transport, dispatch(where), _ -> Response.ok("one"));
                var asked = WebPeer.of(first.server.port());
                var silent = WebPeer.of(first.server.port())) {
            assertEquals("one", asked.get("/").read().text());
            try (var second = serve(transport, dispatch(where), _ -> Response.ok("two"));
                    var other = WebPeer.of(second.server.port())) {
                first.isTaken.await();
                assertEquals("two", other.get("/").read().text());
                var drained = CompletableFuture.supplyAsync(() -> first.server.drain(Duration.ofSeconds(60)));
                for (var peer : new WebPeer[] {asked, silent}) {
                    askUntilTheLast(peer, "/", "one");
                    peer.close();
                }
                assertTrue(drained.join());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"EPOLL, loop", "URING, loop"})
    void an_answer_that_was_under_way_does_not_end_a_connection_that_it_said_is_kept(
            TransportKind transport, String where) throws Exception {
        var isAsked = new CountDownLatch(1);
        var answer = new CompletableFuture<Response>();
        try (var first = serve(transport, dispatch(where), request -> {
                    if (request.path().equals("/now")) return Response.ok("now");
                    isAsked.countDown();
                    return Response.later(answer);
                });
                var peer = WebPeer.of(first.server.port())) {
            peer.get("/");
            isAsked.await();
            try (var _ = serve(transport, dispatch(where), _ -> Response.ok("two"))) {
                first.isTaken.await();
                answer.complete(Response.ok("later"));
                assertEquals("later", peer.read().text());
                askUntilTheLast(peer, "/now", "now");
            }
        }
    }

    /// Not all connections are told at once.
    private static void askUntilTheLast(WebPeer peer, String path, String expected) throws IOException {
        boolean isLast = false;
        while (!isLast) {
            var answer = peer.get(path).read();
            assertEquals(expected, answer.text());
            isLast = answer.header("connection").equals("close");
        }
        peer.assertEnd();
    }
}
