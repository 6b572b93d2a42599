package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.TransportKind;
import io.millrace.Transports;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The contract of `millrace echo`, seen from outside its process.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class EchoTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String ANY_PORT = "127.0.0.1:0";

    @ParameterizedTest
    @CsvSource({
        "nio,   --style,    callback",
        "nio,   --style,    direct",
        "nio,   --dispatch, virtual",
        "nio,   --dispatch, pool:2",
        "epoll, --style,    callback",
        "epoll, --style,    direct",
        "epoll, --dispatch, virtual",
        "epoll, --dispatch, pool:2",
        "uring, --style,    callback",
        "uring, --style,    direct",
    })
    void echoes_then_ends_with_0_on_SIGTERM(String transport, String option, String value) throws Exception {
        assumeWorks(transport);
        try (var echo = Program.start("echo", "--listen", ANY_PORT, "--transport", transport, option, value);
                var socket = echo.connect()) {
            RoundTrips.assertEchoes(socket, 100_000);
            echo.terminate();
            assertEquals(0, echo.exitCode(), echo::err);
            assertEquals(List.of(), echo.rest());
            assertEquals("", echo.err());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "uring"})
    void a_signal_drains_idle_connections(String transport) throws Exception {
        assumeWorks(transport);
        try (var echo = Program.start("echo", "--listen", ANY_PORT, "--transport", transport);
                var socket = echo.connect()) {
            RoundTrips.assertAnswers(socket);
            echo.terminate();
            assertEquals(-1, socket.getInputStream().read());
            assertEquals(0, echo.exitCode(), echo::err);
        }
    }

    /// Whoever looks after it shall start it again.
    @Test
    void ends_with_1_when_its_loop_breaks(@TempDir Path folder) throws Exception {
        var flags = new ArrayList<>(Program.FLAGS);
        // io_uring_enter is always busy, which a loop bears for a second.
        flags.addAll(RefusedCall.flags(folder, 426, 16));
        try (var echo = Program.start(flags, "echo", "--listen", ANY_PORT, "--transport", "uring", "--loops", "1")) {
            assertEquals(1, echo.exitCode(), echo::err);
            assertTrue(echo.err().contains("millrace echo: the event loop millrace-echo-0 was broken"), echo::err);
        }
    }

    @Test
    void a_signal_right_after_the_line_ends_it_with_0() throws Exception {
        try (var echo = Program.start("echo", "--listen", ANY_PORT)) {
            echo.listening();
            echo.terminate();
            assertEquals(0, echo.exitCode(), echo::err);
        }
    }

    @Test
    void ends_with_0_on_SIGINT() throws Exception {
        try (var echo = Program.start("echo", "--listen", ANY_PORT)) {
            echo.listening();
            assertEquals(
                    0,
                    new ProcessBuilder("kill", "-INT", "" + echo.pid()).start().waitFor());
            assertEquals(0, echo.exitCode(), echo::err);
        }
    }

    @Test
    void a_flight_recording_is_written_before_it_ends(@TempDir Path folder) throws Exception {
        var file = folder.resolve("echo.jfr");
        var flags = new ArrayList<>(Program.FLAGS);
        flags.addAll(List.of("-XX:StartFlightRecording=filename=" + file, "-Xlog:jfr+startup=error"));
        try (var echo = Program.start(flags, "echo", "--listen", ANY_PORT)) {
            echo.listening();
            echo.terminate();
            assertEquals(0, echo.exitCode(), echo::err);
            assertTrue(Files.size(file) > 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "uring"})
    void an_address_in_use_ends_it_with_1_and_a_sentence(String transport) throws Exception {
        assumeWorks(transport);
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var address = "127.0.0.1:" + taken.getLocalPort();
            assertCannot(address + ":", "--listen", address, "--transport", transport);
        }
    }

    @Test
    void an_unknown_host_ends_it_with_1_and_a_sentence() throws Exception {
        assertCannot("unknown host 'nowhere.invalid':", "--listen", "nowhere.invalid:0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "uring"})
    void an_address_of_another_machine_ends_it_with_1_and_a_sentence(String transport) throws Exception {
        assumeWorks(transport);
        assertCannot("192.0.2.1:0:", "--listen", "192.0.2.1:0", "--transport", transport);
    }

    @Test
    void a_port_that_needs_permission_ends_it_with_1_and_a_sentence() throws Exception {
        assumeTrue(mayNotBindLowPorts(), "this user, or this kernel, allows every port");
        assertCannot("127.0.0.1:1:", "--listen", "127.0.0.1:1");
    }

    private static boolean mayNotBindLowPorts() {
        try (var bound = new ServerSocket(1, 1, InetAddress.getLoopbackAddress())) {
            assertTrue(bound.isBound());
            return false;
        } catch (IOException e) {
            return String.valueOf(e.getMessage()).contains("Permission denied");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "uring"})
    void echoes_over_a_unix_socket_and_leaves_no_file(String transport, @TempDir Path folder) throws Exception {
        assumeWorks(transport);
        var path = folder.resolve("echo.sock");
        try (var echo = Program.start("echo", "--listen", "unix:" + path, "--transport", transport)) {
            assertEquals("unix:" + path, echo.listening());
            try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
                channel.write(ByteBuffer.wrap(new byte[] {42}));
                var back = ByteBuffer.allocate(1);
                channel.read(back);
                assertArrayEquals(new byte[] {42}, back.array());
            }
            echo.terminate();
            assertEquals(0, echo.exitCode(), echo::err);
            assertFalse(Files.exists(path));
        }
    }

    @Test
    void no_host_means_all_addresses() throws Exception {
        try (var echo = Program.start("echo", "--listen", ":0")) {
            int port = Program.port(echo.listening());
            try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
                RoundTrips.assertAnswers(socket);
            }
        }
    }

    @Test
    void verbose_tells_the_transport_on_standard_error() throws Exception {
        try (var echo = Program.start("echo", "--listen", ANY_PORT, "--verbose")) {
            echo.listening();
            echo.terminate();
            assertEquals(List.of(), echo.rest());
            assertTrue(echo.err().contains(" INFO io.millrace.transport: transport "), echo::err);
        }
    }

    @Test
    void a_transport_that_does_not_work_ends_it_with_1_and_a_sentence() throws Exception {
        var flags = List.of("--illegal-native-access=deny");
        try (var echo = Program.start(flags, "echo", "--listen", ANY_PORT, "--transport", "uring")) {
            assertEquals(1, echo.exitCode(), echo::err);
            assertTrue(echo.err().contains("transport uring does not work here: "), echo::err);
            assertTrue(echo.err().contains("--enable-native-access"), echo::err);
        }
    }

    /// As a seccomp profile would: io_uring_setup(2) is call 425, EPERM is 1.
    @Test
    void auto_takes_epoll_where_io_uring_is_forbidden_and_one_line_says_why(@TempDir Path folder) throws Exception {
        var flags = new ArrayList<>(Program.FLAGS);
        flags.addAll(RefusedCall.flags(folder, 425, 1));
        try (var echo = Program.start(flags, "echo", "--listen", ANY_PORT, "--verbose");
                var socket = echo.connect()) {
            RoundTrips.assertAnswers(socket);
            echo.terminate();
            assertEquals(0, echo.exitCode(), echo::err);
            var line = "transport epoll, because uring does not work: io_uring is forbidden (EPERM)";
            assertEquals(2, echo.err().split(Pattern.quote(line), -1).length, echo::err);
        }
    }

    /// A container may forbid io_uring.
    private static void assumeWorks(String transport) {
        if (!transport.equals("uring")) return;
        var why = Transports.unavailableBecause(TransportKind.URING);
        assumeTrue(why.isEmpty(), () -> why.orElse(""));
    }

    private static void assertCannot(String fragment, String... arguments) throws Exception {
        var command = new String[arguments.length + 1];
        command[0] = "echo";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        try (var echo = Program.start(command)) {
            assertEquals(1, echo.exitCode(), echo::err);
            assertEquals(List.of(), echo.rest());
            assertEquals(1, echo.err().lines().count(), echo::err);
            assertTrue(echo.err().startsWith("millrace echo: "), echo::err);
            assertTrue(echo.err().contains(fragment), echo::err);
        }
    }
}
