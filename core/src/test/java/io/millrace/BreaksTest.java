package io.millrace;

import static io.millrace.TcpTest.local;
import static io.millrace.os.Constants.AF_UNIX;
import static io.millrace.os.Constants.SOCK_STREAM;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import io.millrace.os.DescriptorMessage;
import io.millrace.os.Linux;
import io.millrace.os.SockAddr;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A receive that ends before what has arrived does, and a close that would wait: neither may stop a connection or a
/// loop.
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BreaksTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    /// Urgent data itself is left out, as by the JDK's channels.
    @ParameterizedTest
    @EnumSource
    void what_stands_behind_urgent_data_arrives(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var peer = RawPeer.of(server)) {
            var heard = handlers.next();
            for (int i = 0; i < 20; i++) {
                // All of it has arrived before the first receive.
                ClosingTest.onLoop(heard, heard.conn::pause);
                peer.send("before");
                peer.socket().sendUrgentData('!');
                peer.send("behind");
                ClosingTest.onLoop(heard, heard.conn::resume);
                var arrived = new StringBuilder();
                while (arrived.length() < 12) arrived.append(heard.calls.take());
                assertEquals("beforebehind", arrived.toString());
            }
        }
    }

    /// A receive ends where descriptors were sent along, unix(7).
    @ParameterizedTest
    @EnumSource
    void what_stands_behind_descriptors_arrives(Loops kind, @TempDir Path folder) throws Exception {
        var path = folder.resolve("s");
        var handlers = Handlers.heard();
        try (var loops = kind.start(1);
                var server =
                        Tcp.listen(Listen.on(UnixDomainSocketAddress.of(path)).loops(loops), handlers);
                var peer = new UnixPeer(path)) {
            var heard = handlers.next();
            for (int i = 0; i < 5; i++) {
                ClosingTest.onLoop(heard, heard.conn::pause);
                peer.sendWithDescriptor("one");
                peer.sendWithDescriptor("two");
                peer.sendWithDescriptor("six");
                ClosingTest.onLoop(heard, heard.conn::resume);
                var arrived = new StringBuilder();
                while (arrived.length() < 9) arrived.append(heard.calls.take());
                assertEquals("onetwosix", arrived.toString());
            }
            assertEquals(1, server.connections());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_close_for_which_the_loop_would_wait_is_refused(Loops kind) throws Exception {
        var handlers = Handlers.heard();
        var linger = StandardSocketOptions.SO_LINGER;
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), handlers);
                var _ = RawPeer.of(server)) {
            var heard = handlers.next();
            for (int seconds : new int[] {-1, 0}) heard.conn.options().set(linger, seconds);
            assertRefused(() -> heard.conn.options().set(linger, 1));
            assertRefused(() -> Tcp.listen(local(loops).option(linger, 1), ECHO).close());
            assertRefused(
                    () -> connect(Connect.to(server.address()).loops(loops).option(linger, 1)));
        }
    }

    private static void connect(Connect to) {
        try (var _ = Tcp.connect(to)) {
            throw new AssertionError("connected");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// A peer of java.nio cannot send descriptors.
    private static final class UnixPeer implements AutoCloseable {
        private final Linux linux = new Linux();
        private final DescriptorMessage message = new DescriptorMessage();
        private final int fd = linux.socket(AF_UNIX, SOCK_STREAM);

        UnixPeer(Path path) throws IOException {
            var to = new SockAddr();
            to.set(UnixDomainSocketAddress.of(path));
            assertEquals(0, linux.connect(fd, to));
        }

        void sendWithDescriptor(String text) {
            message.fill(text.getBytes(UTF_8), List.of(fd));
            assertEquals(text.length(), linux.sendmsg(fd, message));
        }

        @Override
        public void close() {
            linux.close(fd);
        }
    }

    private static void assertRefused(Runnable call) {
        var refusal = assertThrows(IllegalArgumentException.class, call::run);
        assertTrue(String.valueOf(refusal.getMessage()).contains("Leave it out"), refusal.toString());
    }
}
