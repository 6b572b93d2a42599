package io.millrace.http;

import static io.millrace.http.raw.FrameText.HEADERS;
import static io.millrace.http.raw.FrameText.OK;
import static io.millrace.http.raw.FrameText.headers;
import static io.millrace.http.raw.FrameText.read;
import static io.millrace.http.raw.FrameText.whole;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.Destination;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.Permits;
import io.millrace.http.pool.CallLimits;
import io.millrace.http.pool.ClientPools;
import io.millrace.http.pool.PoolSettings;
import io.millrace.http.raw.FrameText;
import io.millrace.net.Loop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Loops that take turns with a connection of HTTP/2. The other loop is a task of the same one, so that who comes
/// first does not depend on threads.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedPermitsTest {
    private static final int MANY = 1000;

    private final EventLoops loops = EventLoops.configure().threads(1).start();
    private final Loop loop = loops.all().getFirst();
    private final OnePermit permit = new OnePermit();
    private final ClientPools pools = new ClientPools(new PoolSettings(
            Optional.empty(),
            false,
            (to, _) -> Connect.to(to.address()),
            HttpLimits.standard(),
            Duration.ofSeconds(10),
            new ClientTimeouts(0, 0),
            new CallLimits(0, 0, 0),
            Integer.MAX_VALUE,
            Integer.MAX_VALUE,
            _ -> HttpVersion.HTTP_2,
            _ -> Optional.empty(),
            Optional.empty()));

    @AfterEach
    void every_slab_comes_home() {
        pools.close();
        loops.close();
        for (var counters : loops.counters()) assertEquals(0, counters.slabBytesInUse(), counters::toString);
    }

    /// For one connection; on the loop.
    private static final class OnePermit implements Permits {
        private final List<Runnable> wanting = new ArrayList<>();
        private boolean isTaken;

        @Override
        public boolean take() {
            if (isTaken) return false;
            isTaken = true;
            return true;
        }

        @Override
        public void give() {
            isTaken = false;
            tell();
        }

        private void tell() {
            var all = List.copyOf(wanting);
            wanting.clear();
            all.forEach(Runnable::run);
        }

        @Override
        public void whenGiven(Runnable told) {
            wanting.add(told);
            if (!isTaken) tell();
        }

        @Override
        public int wanted() {
            return wanting.size();
        }
    }

    private record Backend(SocketAddress address, Permits connections, Permits pending) implements Destination {}

    private CompletableFuture<Response> ask(ScriptedServer server) {
        return ask(server, Permits.ENDLESS);
    }

    private CompletableFuture<Response> ask(ScriptedServer server, Permits pending) {
        var uri = URI.create(server.url("/"));
        var request = BuiltRequest.copyOf(Request.get(uri.toString()));
        var outgoing = OutgoingRequest.of(request, request.outbound().orElseThrow());
        var backend = new Backend(new InetSocketAddress(uri.getHost(), uri.getPort()), permit, pending);
        return pools.call(outgoing, backend, loop, pools.whole(request), 0).begin();
    }

    /// Another loop's request waits for the permit.
    ///
    /// @return completes when it has it
    private CompletableFuture<Boolean> want() {
        var had = new CompletableFuture<Boolean>();
        loop.execute(() -> want(had));
        return had;
    }

    private void want(CompletableFuture<Boolean> had) {
        permit.whenGiven(() -> loop.execute(() -> {
            if (permit.take()) had.complete(true);
            else want(had);
        }));
    }

    /// Answers each request, but begins only the answers to the first ones of its connection.
    private static ScriptedServer server(int endless, CompletableFuture<Boolean> hasBegun) throws IOException {
        return ScriptedServer.start(talk -> {
            talk.in.skipNBytes(FrameText.PREFACE.length());
            talk.send(FrameText.HELLO);
            try {
                while (true) {
                    var next = read(talk.in);
                    if (next.type() != HEADERS) continue;
                    boolean isEndless = next.stream() < 2 * endless;
                    talk.send(isEndless ? headers(next.stream(), OK) : whole(next.stream(), OK));
                    if (isEndless) hasBegun.complete(true);
                }
            } catch (IOException _) {
                // The client has gone.
            }
        });
    }

    @Test
    void an_endless_response_keeps_the_connection_and_other_requests_go_on_there() throws Exception {
        assertGoOn(Permits.ENDLESS);
    }

    @Test
    void requests_that_may_not_wait_go_on_at_once() throws Exception {
        var none = new OnePermit();
        none.isTaken = true;
        assertGoOn(none);
    }

    private void assertGoOn(Permits pending) throws Exception {
        var hasBegun = new CompletableFuture<Boolean>();
        try (var server = server(1, hasBegun)) {
            var endless = ask(server, pending);
            hasBegun.get(20, SECONDS);
            var had = want();
            for (int i = 0; i < 100; i++)
                assertEquals(200, ask(server, pending).get(20, SECONDS).status());
            assertEquals(1, server.accepted());
            loop.execute(() -> endless.cancel(false));
            had.get(20, SECONDS);
        }
    }

    @Test
    void a_connection_that_is_always_in_use_is_another_loops_turn_after_some_requests() throws Exception {
        try (var server = server(0, new CompletableFuture<>())) {
            assertEquals(200, ask(server).get(20, SECONDS).status());
            var had = want();
            var last = new CompletableFuture<Integer>();
            for (int i = 0; i < 4; i++) askOn(server, had, last, MANY);
            had.get(20, SECONDS);
            loop.execute(permit::give);
            assertEquals(200, last.get(20, SECONDS));
        }
    }

    /// Asks again before the last answer's stream has gone.
    private void askOn(
            ScriptedServer server, CompletableFuture<Boolean> had, CompletableFuture<Integer> last, int most) {
        var _ = ask(server).whenComplete((response, failure) -> {
            if (failure != null) last.completeExceptionally(failure);
            else if (had.isDone()) last.complete(response.status());
            else if (most > 0) askOn(server, had, last, most - 1);
            else had.completeExceptionally(new AssertionError("the other loop had no turn"));
        });
    }
}
