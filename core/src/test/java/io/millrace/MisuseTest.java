package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.MisuseScene.Victim;
import io.millrace.bytes.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Code that uses a connection which is somebody else's at that moment, from any thread and at any time: it gets an
/// exception that names the remedy, and a thousand innocent connections on the same loops get their own bytes.
@Tag("abuse")
@Tag("shipping")
@Timeout(600)
class MisuseTest {
    private static final int TIMES = 200;
    private static final int INNOCENTS = 1000;
    private static final Bytes LARGE = Bytes.of(new byte[100_000]);
    private static final ReadableByteChannel NOTHING = Channels.newChannel(InputStream.nullInputStream());

    /// What is called; the scenes say by whom and when.
    @SuppressWarnings("ImmutableEnumChecker") // a call has no state
    private enum Call {
        WRITE_BYTE(victim -> victim.output().writeByte(1)),
        WRITE_SHORT(victim -> victim.output().writeShort(1)),
        WRITE_INT_LE(victim -> victim.output().writeIntLE(1)),
        WRITE_LONG(victim -> victim.output().writeLong(1)),
        WRITE_TEXT(victim -> victim.output().writeUtf8("foreign")),
        WRITE_ARRAY(victim -> victim.output().write(new byte[100_000], 0, 100_000)),
        WRITE_SMALL_VALUE(victim -> victim.output().write(Bytes.utf8("foreign"))),
        WRITE_LARGE_VALUE(victim -> victim.output().write(LARGE)),
        WRITE_CHANNEL(MisuseTest::writeChannel),
        MOVE(victim -> victim.output().move(victim.input())),
        MOVE_SOME(victim -> victim.output().move(victim.input(), 1)),
        READ_BYTE(victim -> victim.input().readByte()),
        READ_LONG(victim -> victim.input().readLong()),
        READ_BYTES(victim -> victim.input().readBytes(1)),
        READ_TEXT(victim -> victim.input().readUtf8(1)),
        READ_ARRAY(victim -> victim.input().read(new byte[1], 0, 1)),
        PEEK_BYTE(victim -> victim.input().peekByte(0)),
        PEEK_INT(victim -> victim.input().peekInt(0)),
        PEEK_ARRAY(victim -> victim.input().peek(0, new byte[1], 0, 1)),
        SKIP(victim -> victim.input().skip(1)),
        INDEX_OF_BYTE(victim -> victim.input().indexOf((byte) 1)),
        INDEX_OF_VALUE(victim -> victim.input().indexOf(LARGE, 0));

        private final Consumer<Victim> use;

        Call(Consumer<Victim> use) {
            this.use = use;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING", "EPOLL_WITHOUT_CARRIERS"})
    void what_is_lent_to_one_is_refused_to_all_others(Loops kind) throws Exception {
        try (var loops = new CheckedLoops(kind.start(2));
                var innocents = Innocents.start(INNOCENTS, loops.listen())) {
            for (var scene : MisuseScene.values()) {
                scene.play(loops, victim -> misuse(scene, victim));
            }
            innocents.assertUnharmed();
        }
    }

    private static void misuse(MisuseScene scene, Victim victim) {
        var unexpected = new CompletableFuture<List<String>>();
        victim.culprit().execute(() -> unexpected.complete(outcomes(victim)));
        assertEquals(List.of(), unexpected.join(), scene.name());
    }

    /// What did not end in an exception that helps.
    private static List<String> outcomes(Victim victim) {
        var unexpected = new ArrayList<String>();
        for (int i = 0; i < TIMES; i++) {
            for (var call : Call.values()) outcome(call, victim, unexpected);
        }
        return unexpected;
    }

    private static void outcome(Call call, Victim victim, List<String> unexpected) {
        try {
            call.use.accept(victim);
            unexpected.add(call + " succeeded");
        } catch (IllegalStateException e) {
            var told = String.valueOf(e.getMessage());
            if (!told.contains("lent") && !told.contains("conn.write(")) unexpected.add(call + ": " + told);
        } catch (RuntimeException e) {
            unexpected.add(call + ": " + e);
        }
    }

    private static void writeChannel(Victim victim) {
        try {
            victim.output().write(NOTHING, 10);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING", "EPOLL_WITHOUT_CARRIERS"})
    void a_session_waits_on_its_own_thread_alone(Loops kind) throws Exception {
        try (var loops = new CheckedLoops(kind.start(1));
                var scene = MisuseScene.Served.on(loops)) {
            var conn = scene.conn;
            assertRefused(assertThrows(IllegalStateException.class, conn::read));
            assertRefused(assertThrows(IllegalStateException.class, conn::flush));
            assertRefused(assertThrows(IllegalStateException.class, conn::end));
            scene.peer.send("x").assertReads("x");
            conn.close();
            scene.peer.assertEnd();
        }
    }

    private static void assertRefused(IllegalStateException refusal) {
        var told = String.valueOf(refusal.getMessage());
        assertTrue(told.contains("conn.write("), told);
    }
}
