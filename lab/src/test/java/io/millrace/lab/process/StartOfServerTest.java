package io.millrace.lab.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// A server that does not start is reported by a sentence, and is gone. A patience of ten minutes says that a
/// test does not wait for its end.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StartOfServerTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Duration SHORT = Duration.ofMillis(400);

    @Test
    void a_server_says_where_it_listens() throws Exception {
        try (var server = Servers.start("echo 'listening on 127.0.0.1:4711'; exec sleep 1000")) {
            assertEquals(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 4711), server.address());
            assertEquals("toy", server.name());
            assertTrue(server.isAlive());
        }
    }

    @Test
    void an_address_of_version_6_is_understood() throws Exception {
        try (var server = Servers.start("echo 'listening on [::1]:4711'; exec sleep 1000")) {
            assertEquals(new InetSocketAddress(InetAddress.ofLiteral("::1"), 4711), server.address());
        }
    }

    @Test
    void a_warning_of_the_jvm_may_precede_it() throws Exception {
        try (var server = Servers.start("echo '[warning] slow'; " + Servers.GREETS + "; " + Servers.STAYS)) {
            assertEquals(4711, server.address().getPort());
        }
    }

    @Test
    void the_prefix_comes_before_the_command() throws Exception {
        var prefix = List.of("env", "GREETING=listening on 127.0.0.1:4712");
        try (var server =
                ServerProcess.start(Servers.command("echo $GREETING; exec sleep 1000"), prefix, Servers.LONG)) {
            assertEquals(4712, server.address().getPort());
        }
    }

    @Test
    void one_that_says_nothing_is_reported_when_patience_ends() {
        assertSentence("toy printed nothing for 400 ms; it is still running", refusal(Servers.STAYS, SHORT));
    }

    @Test
    void one_that_prints_rubbish_is_reported_with_it() {
        assertSentence(
                "toy printed \"hello\" instead of \"listening on HOST:PORT\" for 400 ms; it is still running",
                refusal("echo hello; " + Servers.STAYS, SHORT));
    }

    @Test
    void one_that_does_not_stop_printing_rubbish_is_reported_before_patience_ends() {
        assertSentence("toy printed \"rubbish\" instead of", refusal("exec yes rubbish", Servers.LONG));
    }

    @Test
    void a_line_without_end_is_rubbish_too() {
        assertSentence("toy printed \"yyyyyy", refusal("yes | tr -d '\\n' | head -c 100000; " + Servers.STAYS, SHORT));
    }

    @Test
    void a_greeting_with_an_impossible_address_is_rubbish() {
        assertSentence(
                "toy printed \"listening on 1.2.3.4.5:80\" instead of",
                refusal("echo listening on 1.2.3.4.5:80; " + Servers.STAYS, SHORT));
        assertSentence(
                "toy printed \"listening on 127.0.0.1:99999\" instead of",
                refusal("echo listening on 127.0.0.1:99999; " + Servers.STAYS, SHORT));
    }

    @Test
    void one_that_ends_at_once_is_reported_with_its_last_words() {
        assertSentence(
                "toy did not print its address; it ended with 3; its last words: first | second",
                refusal("echo first >&2; echo second >&2; exit 3", Servers.LONG));
    }

    @Test
    void one_that_ends_by_a_signal_is_reported_with_it() {
        assertSentence("it ended with 137, signal 9", refusal("kill -KILL $$", Servers.LONG));
    }

    @Test
    void one_that_ends_is_reported_though_a_child_of_it_stays(@TempDir Path folder) throws Exception {
        var pid = folder.resolve("pid");
        assertSentence("it ended with 3", refusal("sleep 1000 & echo $! >" + pid + "; exit 3", Servers.LONG));
        long left = Long.parseLong(Files.readString(pid).strip());
        assertFalse(ProcessHandle.of(left).map(ProcessTree::isAlive).orElse(false), "its child is still there");
    }

    @Test
    void colours_and_bells_stay_out_of_the_sentence() {
        assertSentence(
                "its last words: red bell", refusal("printf '\\033[31mred\\033[0m\\abell\\n' >&2; exit 1", SHORT));
    }

    @Test
    void a_program_that_is_not_there_is_named() {
        var command = new ServerCommand("toy", List.of("/no/such/program"), Optional.empty());
        var refused = assertThrows(IOException.class, () -> ServerProcess.start(command, List.of(), SHORT));
        assertSentence("toy could not be started: Cannot run program \"/no/such/program\"", refused);
    }

    @Test
    void an_empty_command_is_a_mistake() {
        assertThrows(IllegalArgumentException.class, () -> new ServerCommand("toy", List.of(), Optional.empty()));
    }

    @Test
    void a_server_that_says_nothing_is_asked_until_it_accepts() throws Exception {
        var address = freeAddress();
        var words = TestJvm.command(LateServer.class, address.getPort());
        var command = new ServerCommand("late", words, Optional.of(address));
        try (var server = ServerProcess.start(command, List.of(), Servers.LONG)) {
            assertEquals(address, server.address());
            assertTrue(Listening.accepts(address));
        }
        assertFalse(Listening.accepts(address));
    }

    @Test
    void one_that_never_accepts_is_reported() throws Exception {
        var command = Servers.commandListeningAt(Servers.STAYS, freeAddress());
        var refused = assertThrows(IOException.class, () -> ServerProcess.start(command, List.of(), SHORT));
        assertSentence("after 400 ms; it is still running", refused);
    }

    @Test
    void one_that_ends_before_it_accepts_is_reported_at_once() throws Exception {
        var command = Servers.commandListeningAt("echo no >&2; exit 2", freeAddress());
        var refused = assertThrows(IOException.class, () -> ServerProcess.start(command, List.of(), Servers.LONG));
        assertSentence("toy did not listen; it ended with 2; its last words: no", refused);
    }

    @Test
    void an_address_that_is_taken_is_not_mistaken_for_the_server() throws Exception {
        try (var other = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            var address = (InetSocketAddress) other.getLocalSocketAddress();
            var command = Servers.commandListeningAt(Servers.STAYS, address);
            var refused = assertThrows(IOException.class, () -> ServerProcess.start(command, List.of(), SHORT));
            assertSentence(address.getPort() + ": another process already does", refused);
        }
    }

    private static IOException refusal(String script, Duration patience) {
        return assertThrows(IOException.class, () -> ServerProcess.start(Servers.command(script), List.of(), patience));
    }

    private static void assertSentence(String part, IOException refused) {
        assertTrue(refused.toString().contains(part), refused.toString());
    }

    private static InetSocketAddress freeAddress() throws IOException {
        try (var probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return (InetSocketAddress) probe.getLocalSocketAddress();
        }
    }
}
