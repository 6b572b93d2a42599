package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.net.LoopCounters;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What peers cost their server, in time of the loops' threads: the median of many connections, each from its
/// beginning to its end, attacks and honest ones in turn.
@Tag("long")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2CostTest {
    private static final int WARM_UP = 5;
    private static final int ROUNDS = 11;
    private static final double MOST = 2;

    /// As networks carry it.
    private static final int PACKET_BYTES = 1_400;

    private static final int REQUESTS = 100;
    private static final int AT_A_TIME = 10;
    private static final CompletableFuture<Response> NEVER = new CompletableFuture<>();

    private static Response app(Request request) {
        return request.path().equals("/") ? Response.ok("hello") : Response.later(NEVER);
    }

    private record Cost(long nanos, long bytes) {}

    private interface Visit {
        void to(Serving serving) throws IOException;
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void an_attack_costs_at_most_twice_as_much_as_an_honest_client_with_as_many_bytes(Serving.Kind kind)
            throws IOException {
        try (var serving = kind.serve(Http2CostTest::app)) {
            for (var attack : Attack.values()) {
                Visit hostile = to -> hostile(to, attack);
                for (int i = 0; i < WARM_UP; i++) {
                    cost(serving, Http2CostTest::honest);
                    cost(serving, hostile);
                }
            }
            for (var attack : Attack.values()) {
                var bare = new Cost[ROUNDS];
                var honest = new Cost[ROUNDS];
                var hostile = new Cost[ROUNDS];
                for (int i = 0; i < ROUNDS; i++) {
                    bare[i] = cost(serving, to -> Http2Peer.of(to).sync().close());
                    honest[i] = cost(serving, Http2CostTest::honest);
                    hostile[i] = cost(serving, to -> hostile(to, attack));
                }
                double ratio = median(hostile, Cost::nanos) / honestNanos(bare, honest, median(hostile, Cost::bytes));
                assertTrue(ratio <= MOST, () -> attack + " costs " + ratio + " times as much as an honest client");
            }
        }
    }

    /// What a connection of an honest client costs with so many bytes.
    private static double honestNanos(Cost[] bare, Cost[] honest, double bytes) {
        double nanos = median(honest, Cost::nanos) - median(bare, Cost::nanos);
        double perByte = nanos / (median(honest, Cost::bytes) - median(bare, Cost::bytes));
        return median(bare, Cost::nanos) + perByte * (bytes - median(bare, Cost::bytes));
    }

    private static double median(Cost[] all, ToLongFunction<Cost> of) {
        return Arrays.stream(all).mapToLong(of).sorted().toArray()[all.length / 2];
    }

    /// From the beginning of a connection to its end.
    private static Cost cost(Serving serving, Visit visit) throws IOException {
        long nanos = cpuNanos(serving);
        long bytes = sum(serving, LoopCounters::bytesReceived);
        visit.to(serving);
        while (serving.server().connections() > 0) Thread.onSpinWait();
        return new Cost(cpuNanos(serving) - nanos, sum(serving, LoopCounters::bytesReceived) - bytes);
    }

    private static long sum(Serving serving, ToLongFunction<LoopCounters> count) {
        return serving.loops().counters().stream().mapToLong(count).sum();
    }

    private static long cpuNanos(Serving serving) {
        var names = serving.loops().counters().stream().map(LoopCounters::loop).toList();
        var bean = ManagementFactory.getThreadMXBean();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> names.contains(thread.getName()))
                .mapToLong(thread -> bean.getThreadCpuTime(thread.threadId()))
                .sum();
    }

    private static void honest(Serving serving) throws IOException {
        try (var peer = Http2Peer.of(serving)) {
            for (int i = 0; i < REQUESTS; i += AT_A_TIME) {
                var batch = new SentFrames();
                int first = peer.nextId();
                batch.get(first, "/");
                for (int k = 1; k < AT_A_TIME; k++) batch.get(peer.nextId(), "/");
                peer.send(batch);
                for (int k = 0; k < AT_A_TIME; k++) peer.whole(first + 2 * k);
            }
        }
    }

    /// Sends no more than it takes to be dismissed.
    private static void hostile(Serving serving, Attack attack) throws IOException {
        var all = attack.frames().toBytes();
        long before = sum(serving, LoopCounters::bytesReceived);
        long accepted = sum(serving, LoopCounters::accepted);
        try (var peer = Http2Peer.silent(serving)) {
            while (sum(serving, LoopCounters::accepted) == accepted) Thread.onSpinWait();
            var preface = SentFrames.preface().toBytes();
            peer.send(preface);
            awaitReceived(serving, before + preface.length);
            for (int at = 0; at < all.length && serving.server().connections() > 0; at += PACKET_BYTES) {
                int to = Math.min(all.length, at + PACKET_BYTES);
                if (!peer.sendIfOpen(Arrays.copyOfRange(all, at, to))) break;
                awaitReceived(serving, before + preface.length + to);
            }
            peer.goodbye();
        }
    }

    private static void awaitReceived(Serving serving, long bytes) {
        while (sum(serving, LoopCounters::bytesReceived) < bytes
                && serving.server().connections() > 0) Thread.onSpinWait();
    }
}
