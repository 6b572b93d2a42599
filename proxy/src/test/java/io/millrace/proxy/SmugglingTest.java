package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpHandler;
import io.millrace.http.server.Http;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Every hostile request of the corpus, alone and with others in front and behind, through a proxy to a backend
/// that is none of ours: it sees what was accepted, each exactly once, and nothing else.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SmugglingTest {
    private static final List<HostileRequest> CORPUS = HostileRequest.all();

    /// How bodies pass, and where.
    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    enum Passing {
        AS_THEY_ARRIVE(Proxying.Kind.EPOLL_SAME, upstream -> upstream),
        BETWEEN_LOOPS(Proxying.Kind.NIO_OWN, upstream -> upstream),
        WHOLE(Proxying.Kind.EPOLL_SAME, upstream -> Http.whole(HostileRequest.MOST_BODY, upstream)),
        WHOLE_ON_THREADS(Proxying.Kind.EPOLL_SAME_VIRTUAL, upstream -> Http.whole(HostileRequest.MOST_BODY, upstream));

        private final Proxying.Kind kind;
        private final Function<Upstream, HttpHandler> handler;

        Passing(Proxying.Kind kind, Function<Upstream, HttpHandler> handler) {
            this.kind = kind;
            this.handler = handler;
        }

        Proxying to(String uri) {
            return kind.serve(Upstream.of(uri), handler);
        }

        /// A body that streams may be as long as it likes.
        List<HostileRequest> corpus() {
            boolean isWhole = this == WHOLE || this == WHOLE_ON_THREADS;
            return CORPUS.stream()
                    .filter(request -> isWhole || !request.isTooLarge())
                    .toList();
        }
    }

    @ParameterizedTest
    @EnumSource
    void backends_see_what_was_accepted_and_nothing_else(Passing passing) throws IOException {
        assertTrue(passing.corpus().size() >= 800, () -> passing.corpus().size() + " requests");
        send(passing, passing.corpus());
    }

    @ParameterizedTest
    @EnumSource(names = {"AS_THEY_ARRIVE", "WHOLE"})
    void nothing_gets_past_on_the_back_of_another(Passing passing) throws IOException {
        var ahead = HostileRequest.good("/ahead");
        var behind = HostileRequest.good("/behind");
        send(
                passing,
                passing.corpus().stream()
                        .map(request -> ahead.then(request.ends() ? request : request.then(behind)))
                        .toList());
    }

    @ParameterizedTest
    @EnumSource(names = {"AS_THEY_ARRIVE", "WHOLE"})
    void nothing_gets_past_in_pairs(Passing passing) throws IOException {
        var corpus = passing.corpus();
        var first = corpus.stream()
                .filter(request -> !request.closes() && request.statuses().size() < 10)
                .toList();
        send(
                passing,
                IntStream.range(0, corpus.size())
                        .mapToObj(i -> first.get(i % first.size()).then(corpus.get(i)))
                        .toList());
    }

    private static void send(Passing passing, List<HostileRequest> all) throws IOException {
        try (var backend = new RecordingBackend();
                var proxy = passing.to(backend.uri())) {
            for (int i = 0; i < all.size(); i++) {
                var request = all.get(i);
                try {
                    check(request, proxy, backend);
                    good("/good/" + i, proxy, backend);
                } catch (IOException | AssertionError e) {
                    throw new AssertionError(request + ": " + e, e);
                }
            }
        }
    }

    private static void check(HostileRequest request, Proxying proxy, RecordingBackend backend) throws IOException {
        var targets = new ArrayList<String>();
        try (var client = proxy.connect()) {
            send(request, client);
            var statuses = new ArrayList<Integer>();
            while (statuses.size() < request.statuses().size()) {
                var reply = client.readFinal();
                statuses.add(reply.status());
                if (reply.status() == 200) targets.add(reply.header("X-Target"));
            }
            assertEquals(request.statuses(), statuses);
            if (request.closes()) assertGone(client);
            else
                assertEquals(
                        "/still-there", client.get("/still-there").readFinal().header("X-Target"));
        }
        if (!request.closes()) targets.add("/still-there");
        assertEquals(
                targets,
                backend.taken().stream().map(StrictReader.Message::target).toList(),
                "at the backend");
        assertEquals(List.of(), backend.ambiguous(), "at the backend");
    }

    /// A server that has seen enough does not wait for the rest.
    private static void send(HostileRequest request, RawClient client) throws IOException {
        try {
            client.send(request.bytes());
            if (request.ends()) client.socket().shutdownOutput();
        } catch (SocketException _) {
            // Its answer is there nevertheless.
        }
    }

    private static void assertGone(RawClient client) throws IOException {
        try {
            assertEquals(0, client.readAll().length, "bytes behind the last response");
        } catch (SocketException reset) {
            assertEquals("Connection reset", reset.getMessage());
        }
    }

    /// Whatever was sent before, the next one is served as if nothing had been.
    private static void good(String path, Proxying proxy, RecordingBackend backend) throws IOException {
        try (var client = proxy.connect()) {
            var reply = client.get(path).read();
            assertEquals(List.of(200, path), List.of(reply.status(), reply.header("X-Target")));
            assertEquals("", reply.text());
        }
        var seen = backend.taken();
        assertEquals(1, seen.size(), seen::toString);
        assertEquals("GET " + path, seen.getFirst().toString());
        assertEquals("", seen.getFirst().body());
        assertEquals(List.of("a.test"), seen.getFirst().all("Host"));
    }
}
