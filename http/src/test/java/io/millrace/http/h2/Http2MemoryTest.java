package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.grammar.HttpGuards;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// How much memory a peer of HTTP/2 can have its server hold: slabs, and the heap that is live.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2MemoryTest {
    private static final int ATTACKERS = 8;
    private static final int STREAMS = 100;
    private static final long MEBIBYTE = 1 << 20;
    private static final long WINDOW = 1 << 20;
    private static final long OTHERS = 256 << 10;

    /// Bytes that wait take up to about four times their size, because each packet may lie in a slab of its own.
    private static final long PINNED = 5 * WINDOW + OTHERS;

    private static final CompletableFuture<Response> NEVER = new CompletableFuture<>();

    private static final HttpHandler APP = request -> {
        if (!request.path().equals("/large")) return Response.later(NEVER);
        var part = new byte[4096];
        return Response.stream(200, out -> {
            out.write(part, 0, part.length);
            return true;
        });
    };

    private interface Attack {
        void by(Http2Peer peer) throws IOException;
    }

    private static long held(Serving serving) {
        for (int i = 0; i < 3; i++) System.gc();
        var runtime = Runtime.getRuntime();
        long slabs = serving.loops().counters().stream()
                .mapToLong(loop -> loop.slabBytesInUse())
                .sum();
        return slabs + runtime.totalMemory() - runtime.freeMemory();
    }

    /// Once before, so that what is made once is there.
    private static void assertHeld(Serving.Kind kind, long mostBytes, Attack attack) throws IOException {
        try (var serving = kind.serve(APP)) {
            try (var first = Http2Peer.of(serving, 0).givesNoWindow()) {
                attack.by(first);
                first.sync();
            }
            var attackers = new ArrayList<Http2Peer>();
            try {
                for (int i = 0; i < ATTACKERS; i++)
                    attackers.add(Http2Peer.of(serving, 0).givesNoWindow().sync());
                long before = held(serving);
                for (var attacker : attackers) {
                    attack.by(attacker);
                    attacker.sync();
                }
                attackers.forEach(attacker -> attacker.got.forget());
                long each = (held(serving) - before) / ATTACKERS;
                assertTrue(each <= mostBytes, () -> each + " bytes for each, and at most " + mostBytes);
            } finally {
                attackers.forEach(Http2Peer::close);
            }
        }
    }

    private static byte[] indexed(int count) {
        var block = new byte[count];
        Arrays.fill(block, (byte) (0x80 | HpackStatic.COUNT + 1));
        return block;
    }

    private static byte[] get() {
        return SentFrames.fields(SentFrames.request("GET", "/large"));
    }

    /// A field enters the table, and each stream has it so many times.
    private static void bomb(Http2Peer peer, List<String> field, int times) throws IOException {
        var entering = SentFrames.entering(field.getFirst(), field.getLast());
        var all = new SentFrames();
        for (int i = 0; i < STREAMS; i++) {
            int id = peer.nextId();
            var more = i == 0 ? entering : indexed(times);
            all.block(id, true, HpackPeer.joined(get(), more));
        }
        peer.send(all);
    }

    // CVE-2026-49975 and CVE-2026-47774.

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void small_fields_of_the_table(Serving.Kind kind) throws IOException {
        assertHeld(kind, MEBIBYTE, peer -> bomb(peer, List.of("a", ""), 90));
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void crumbs_of_a_cookie(Serving.Kind kind) throws IOException {
        assertHeld(kind, MEBIBYTE, peer -> bomb(peer, List.of("cookie", ""), 90));
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void large_crumbs_behind_a_window_that_opens_by_bytes(Serving.Kind kind) throws IOException {
        long before = HttpGuards.HTTP2_HEADS.count();
        assertHeld(kind, MEBIBYTE, peer -> {
            bomb(peer, List.of("cookie", "c".repeat(4000)), 3);
            for (int id = 1; id < 20; id += 2) {
                peer.got.more(id, 1);
                peer.flush();
            }
        });
        assertTrue(HttpGuards.HTTP2_HEADS.count() > before);
    }

    // Bodies.

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void bodies_that_no_handler_reads(Serving.Kind kind) throws IOException {
        assertHeld(kind, PINNED, peer -> {
            for (int i = 0; i < STREAMS; i++) {
                int id = peer.post("/never");
                int part = (int) Math.min(Http2Codes.MOST_BYTES, peer.got.window());
                peer.part(id, new byte[part], false);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void bodies_of_a_byte_on_each_stream(Serving.Kind kind) throws IOException {
        assertHeld(kind, MEBIBYTE, peer -> {
            for (int i = 0; i < STREAMS; i++) peer.part(peer.post("/never"), new byte[1], false);
        });
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void responses_behind_a_window_that_is_shut(Serving.Kind kind) throws IOException {
        assertHeld(kind, MEBIBYTE, peer -> {
            for (int i = 0; i < STREAMS; i++) peer.get("/large");
        });
    }
}
