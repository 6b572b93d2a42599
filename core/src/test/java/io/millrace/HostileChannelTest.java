package io.millrace;

import static io.millrace.TcpTest.local;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A channel that an output reads from is user code: whatever it says and keeps, no byte of another connection
/// leaves, or changes. Closing the loops asserts that all slabs came home.
@Tag("shipping")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileChannelTest {
    private static final int MOST = 130_000;
    private static final String SECRET = "a secret of another connection; ".repeat(2000);

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_channel_that_says_too_much_sends_what_it_has_brought(Loops kind) throws Exception {
        sends(kind, "0123456789", (_, to) -> {
            to.put("0123456789".getBytes(US_ASCII));
            return MOST;
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_channel_that_says_the_end_sends_what_it_has_brought(Loops kind) throws Exception {
        sends(kind, "abc", (_, to) -> {
            to.put("abc".getBytes(US_ASCII));
            return -1;
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_channel_that_brings_nothing_and_says_so_many_sends_nothing(Loops kind) throws Exception {
        sends(kind, "", (_, _) -> MOST);
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_channel_that_skips_sends_no_bytes_of_others(Loops kind) throws Exception {
        sends(kind, "\0".repeat(1000), (_, to) -> {
            to.position(1000);
            return 1000;
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_channel_sees_no_bytes_of_others(Loops kind) throws Exception {
        sends(kind, "", (_, to) -> {
            for (int i = 0; i < to.limit(); i++) assertEquals(0, to.get(i), "at " + i);
            return 0;
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_channel_that_keeps_its_buffer_cannot_use_it(Loops kind) throws Exception {
        var kept = new ArrayList<ByteBuffer>();
        sends(kind, "x", (_, to) -> {
            kept.add(to.duplicate());
            to.put((byte) 'x');
            return 1;
        });
        for (var buffer : kept) {
            assertThrows(RuntimeException.class, () -> buffer.put(0, (byte) '!'));
            assertThrows(RuntimeException.class, () -> buffer.get(0));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_channel_that_writes_to_the_output_itself_comes_behind(Loops kind) throws Exception {
        sends(kind, "nested, and read", (conn, to) -> {
            to.put(", and read".getBytes(US_ASCII));
            conn.output().writeUtf8("nested");
            return 10;
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void a_channel_that_drops_its_connection_harms_nobody(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(
                        local(loops),
                        conn -> in -> answer(conn, in, (dropped, to) -> {
                            dropped.output().writeUtf8("never sent");
                            dropped.abort();
                            while (to.hasRemaining()) to.put((byte) '!');
                            return to.position();
                        }))) {
            try (var innocent = RawPeer.of(server)) {
                for (int i = 0; i < 20; i++) {
                    try (var peer = RawPeer.of(server)) {
                        peer.send("c").assertGone();
                    }
                    innocent.send(SECRET).assertReads(SECRET);
                }
            }
        }
    }

    /// Asks for what a channel brings, behind somebody whose bytes have been in the same memory.
    private static void sends(Loops kind, String expected, Reader reader) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), conn -> in -> answer(conn, in, reader));
                var innocent = RawPeer.of(server)) {
            for (int i = 0; i < 5; i++) {
                innocent.send(SECRET).assertReads(SECRET);
                try (var peer = RawPeer.of(server)) {
                    var read = peer.send("c").readAll();
                    assertArrayEquals(expected.getBytes(US_ASCII), read, () -> shown(read));
                }
            }
            innocent.send(SECRET).assertReads(SECRET);
        }
    }

    private static String shown(byte[] read) {
        return read.length + " bytes: " + new String(Arrays.copyOf(read, Math.min(60, read.length)), US_ASCII);
    }

    /// `c` gets what the channel brings; everything else is sent back.
    private static void answer(Connection conn, Input in, Reader reader) throws IOException {
        if (in.peekByte(0) != 'c') {
            conn.output().move(in);
            return;
        }
        in.skip(in.remaining());
        conn.output().write(new Hostile(conn, reader), MOST);
        conn.close();
    }

    private interface Reader {
        int read(Connection conn, ByteBuffer to) throws IOException;
    }

    private record Hostile(Connection conn, Reader reader) implements ReadableByteChannel {
        @Override
        public int read(@Nullable ByteBuffer to) throws IOException {
            return reader.read(conn, java.util.Objects.requireNonNull(to));
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
