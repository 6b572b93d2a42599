package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.bytes.Input;
import io.millrace.http.BodyReader;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.grammar.HttpGuards;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// How much memory a peer of HTTP/2 can have its server hold: slabs, and the heap that is live.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2MemoryTest {
    private static final int ATTACKERS = 8;

    /// As many as leave a loop's memory alone: while that is tight, all get by with little.
    private static final int FEW_ATTACKERS = 2;

    private static final int STREAMS = 100;
    private static final long MEBIBYTE = 1 << 20;
    private static final long WINDOW = 1 << 20;

    /// What may wait to be sent before each stream gets by with little.
    private static final long OUTPUT = 256 << 10;

    /// What a handler writes at a time, which each stream may have besides.
    private static final int WRITE_BYTES = 4096;

    /// What open requests count for.
    private static final long REQUESTS = 512 << 10;

    /// Slabs that are not full, and what there is once.
    private static final long OTHERS = 256 << 10;

    /// What bodies hold that threads read or write, before each gets by with little.
    private static final long PIPES = 1 << 20;

    /// What each has then: so much, and one part.
    private static final long PIPE = 16 << 10;

    private static final long PART = 64 << 10;

    /// What a virtual thread keeps that waits.
    private static final long THREAD = 1 << 10;

    /// Two of these are more than may wait in all.
    private static final int VALUE_BYTES = 600_000;

    private static final CompletableFuture<Response> NEVER = new CompletableFuture<>();

    private final CountDownLatch stuck = new CountDownLatch(1);

    private Response app(Request request) throws Exception {
        return switch (request.path()) {
            case "/large" ->
                Response.stream(200, out -> {
                    out.write(new byte[WRITE_BYTES], 0, WRITE_BYTES);
                    return true;
                });
            case "/some" -> Response.ok("x".repeat(3_000));
            case "/slow" -> {
                request.blockingBody().read();
                stuck.await();
                yield Response.ok("late");
            }
            case "/blocking" ->
                Response.blocking(200, out -> {
                    while (true) out.output().write(new byte[WRITE_BYTES], 0, WRITE_BYTES);
                });
            case "/reading" ->
                Response.reading(new BodyReader() {
                    @Override
                    public void onBody(Input part) {
                        part.skip(part.remaining());
                    }

                    @Override
                    public Response onEnd() {
                        return Response.status(204);
                    }
                });
            case "/uploading" ->
                Response.blocking(200, out -> {
                    var body = request.blockingBody();
                    while (body.read()) body.input().skip(body.input().remaining());
                });
            case "/value" -> Response.ok("x".repeat(VALUE_BYTES));
            case "/stuck" -> {
                stuck.await();
                yield Response.ok("late");
            }
            default -> Response.later(NEVER);
        };
    }

    private interface Attack {
        void by(Http2Peer peer) throws IOException;
    }

    private static long held(Serving serving) {
        long slabs = -1;
        // Until handlers on other threads are done with what they can do.
        while (slabs != slabs(serving)) {
            slabs = slabs(serving);
            for (int i = 0; i < 3; i++) System.gc();
        }
        var runtime = Runtime.getRuntime();
        return slabs + runtime.totalMemory() - runtime.freeMemory();
    }

    private static long slabs(Serving serving) {
        return serving.loops().counters().stream()
                .mapToLong(loop -> loop.slabBytesInUse())
                .sum();
    }

    /// Once before, so that what is made once is there.
    private void assertHeld(Serving.Kind kind, long mostBytes, Attack attack) throws IOException {
        assertHeld(kind.serve(this::app), ATTACKERS, mostBytes, attack);
    }

    private void assertHeld(Serving started, int count, long mostBytes, Attack attack) throws IOException {
        try (var serving = started) {
            try (var first = Http2Peer.of(serving, 0).givesNoWindow()) {
                attack.by(first);
                first.sync();
            }
            var attackers = new ArrayList<Http2Peer>();
            try {
                for (int i = 0; i < count; i++)
                    attackers.add(Http2Peer.of(serving, 0).givesNoWindow().sync());
                long before = held(serving);
                for (var attacker : attackers) {
                    attack.by(attacker);
                    attacker.sync();
                }
                attackers.forEach(attacker -> attacker.got.forget());
                long each = (held(serving) - before) / count;
                assertTrue(each <= mostBytes, () -> each + " bytes for each, and at most " + mostBytes);
            } finally {
                stuck.countDown();
                attackers.forEach(Http2Peer::close);
            }
        }
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
            var more = i == 0 ? entering : SentFrames.newest(times);
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

    /// They are not of the table, but each costs what an object of its own does.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void small_fields_that_are_literals(Serving.Kind kind) throws IOException {
        var literals = new String[2 * 90];
        for (int i = 0; i < literals.length; i += 2) {
            literals[i] = "" + (char) ('a' + i % 26);
            literals[i + 1] = "";
        }
        assertHeld(kind, MEBIBYTE, peer -> {
            var all = new SentFrames();
            for (int i = 0; i < STREAMS; i++)
                all.headers(peer.nextId(), true, SentFrames.request("GET", "/large", literals));
            peer.send(all);
        });
    }

    // Bodies.

    /// A frame of each size that lies in a slab of its own.
    private static void unread(Http2Peer peer, String path, int frameBytes) throws IOException {
        for (int i = 0; i < STREAMS; i++) {
            int id = peer.post(path);
            int part = (int) Math.min(frameBytes, peer.got.window());
            if (part > 0) peer.part(id, new byte[part], false);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bodies_that_no_handler_reads(Serving.Kind kind) throws IOException {
        for (int frameBytes : List.of(1, 2_049, 10_241))
            assertHeld(
                    kind,
                    Math.min(WINDOW, (long) STREAMS * frameBytes) + REQUESTS + OTHERS,
                    peer -> unread(peer, "/never", frameBytes));
    }

    @ParameterizedTest
    @EnumSource(names = ".*_VIRTUAL", mode = EnumSource.Mode.MATCH_ALL)
    void bodies_for_handlers_that_are_stuck(Serving.Kind kind) throws IOException {
        assertHeld(kind, WINDOW + REQUESTS + OTHERS + STREAMS * THREAD, peer -> unread(peer, "/stuck", 10_241));
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void responses_behind_a_window_that_is_shut(Serving.Kind kind) throws IOException {
        for (var path : List.of("/large", "/some"))
            assertHeld(kind, OUTPUT + REQUESTS + OTHERS, peer -> {
                for (int i = 0; i < STREAMS; i++) peer.get(path);
            });
    }

    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void all_of_it_together(Serving.Kind kind) throws IOException {
        assertHeld(kind, WINDOW + OUTPUT + STREAMS / 2 * WRITE_BYTES + REQUESTS + OTHERS, peer -> {
            for (int i = 0; i < STREAMS / 2; i++) {
                peer.get("/large", "x", "y".repeat(2_000));
                int id = peer.post("/never", "x", "y".repeat(2_000));
                peer.part(id, new byte[(int) Math.min(20_481, peer.got.window())], false);
            }
        });
    }

    /// Their bodies come when they have begun.
    private static void uploadAgain(Http2Peer peer, String path) throws IOException {
        for (int i = 0; i < 2 * STREAMS; i++) {
            int id = peer.post(path, "x", i + "y".repeat(12_000));
            peer.sync();
            peer.body(id, new byte[1]).whole(id);
        }
    }

    /// No clock of theirs keeps them.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void requests_that_are_done(Serving.Kind kind) throws IOException {
        assertHeld(kind, REQUESTS + OTHERS, peer -> uploadAgain(peer, "/reading"));
    }

    /// What they wait for goes on without them.
    @ParameterizedTest
    @EnumSource(names = ".*_LOOP", mode = EnumSource.Mode.MATCH_ALL)
    void requests_of_clients_that_wait_no_longer(Serving.Kind kind) throws IOException {
        assertHeld(kind, REQUESTS + OTHERS, peer -> {
            for (int i = 0; i < STREAMS; i++) {
                int id = peer.get("/never", "x", i + "y".repeat(12_000));
                peer.sync();
                peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
            }
        });
    }

    // Bodies that threads read and write.

    @ParameterizedTest
    @EnumSource
    void bodies_that_threads_have_read(Serving.Kind kind) throws IOException {
        assertHeld(kind, REQUESTS + OTHERS, peer -> uploadAgain(peer, "/uploading"));
    }

    /// Sends as much as the server takes.
    private static void sendAll(Http2Peer peer, String path) throws IOException {
        var ids = new int[STREAMS];
        for (int i = 0; i < STREAMS; i++) ids[i] = peer.post(path);
        boolean goesOn = true;
        while (goesOn) {
            peer.sync();
            goesOn = false;
            for (int id : ids) {
                int room = peer.got.room(id);
                if (room > 0) peer.part(id, new byte[room], false);
                goesOn |= room > 0;
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*_VIRTUAL", mode = EnumSource.Mode.MATCH_ALL)
    void bodies_for_threads_that_read_slowly(Serving.Kind kind) throws IOException {
        assertHeld(
                kind.serve(this::app),
                FEW_ATTACKERS,
                WINDOW + PIPES + PART + STREAMS * 2 * PIPE + REQUESTS + OTHERS,
                peer -> sendAll(peer, "/slow"));
    }

    /// In the pipe, and behind it.
    @ParameterizedTest
    @EnumSource
    void responses_of_threads_that_nobody_reads(Serving.Kind kind) throws IOException {
        long most = PIPES + OUTPUT + 2 * STREAMS * (PIPE + PART) + REQUESTS + OTHERS;
        assertHeld(kind.serve(this::app), FEW_ATTACKERS, most, peer -> {
            for (int i = 0; i < STREAMS; i++) peer.get("/blocking");
        });
    }

    /// They wait because as much is unsent as may be.
    @Test
    void requests_that_are_reset_before_they_begin() throws IOException {
        var loops = EventLoops.configure().threads(2).start();
        var on = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops)
                .outputLimit(1 << 20);
        var serving = new Serving(loops, AnyDispatch.serve(on, Dispatch.loop(), HttpSettings.standard(), this::app));
        assertHeld(serving, ATTACKERS, REQUESTS + OTHERS, peer -> {
            for (int i = 0; i < 2; i++) peer.get("/value");
            for (int i = 0; i < 150; i++) {
                int id = peer.get("/never", "x", i + "y".repeat(12_000));
                peer.send(new SentFrames().reset(id, Http2Codes.CANCEL));
            }
        });
    }
}
