package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import io.millrace.testing.NoticeListener;
import io.millrace.testing.Waiting;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The commands as a service: this test is the service manager.
@Timeout(300)
@Tag("slow")
@EnabledOnOs(OS.LINUX)
class ServiceTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path ACTIVATE = Path.of("/usr/bin/systemd-socket-activate");

    @TempDir
    Path folder;

    private Path file;
    private Path notify;

    @BeforeEach
    void there_is_a_configuration() throws IOException {
        notify = folder.resolve("notify");
        file = configured("one");
    }

    private Path configured(String body) throws IOException {
        return Files.writeString(folder.resolve("proxy.yaml"), """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {respond: {body: BODY}}}
                runtime: {hand-over: next.sock}
                """.replace("BODY", body));
    }

    private Program start(Map<String, String> more, String... arguments) throws IOException {
        var environment = new HashMap<>(more);
        environment.put("NOTIFY_SOCKET", notify.toString());
        return Program.start(List.of(), environment, arguments);
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, "" + pid).start().waitFor());
    }

    private static List<String> names(Map<String, String> heard) {
        return List.copyOf(heard.keySet());
    }

    @Test
    void the_manager_hears_of_start_reload_and_end() throws Exception {
        try (var ear = new NoticeListener(notify.toString(), PATIENCE);
                var proxy = start(Map.of(), "proxy", "--config", file.toString())) {
            assertEquals(Map.of("READY", "1", "STATUS", "serves"), ear.next());
            signal("HUP", proxy.pid());
            assertEquals(List.of("RELOADING", "MONOTONIC_USEC", "STATUS"), names(ear.next()));
            assertEquals(Map.of("READY", "1", "STATUS", "serves"), ear.next());
            proxy.terminate();
            assertEquals(Map.of("STOPPING", "1", "STATUS", "draining"), ear.next());
            assertEquals(0, proxy.exitCode(), proxy::err);
        }
    }

    @Test
    void a_reload_that_fails_ends_with_what_is_wrong() throws Exception {
        try (var ear = new NoticeListener(notify.toString(), PATIENCE);
                var proxy = start(Map.of(), "proxy", "--config", file.toString())) {
            assertEquals("1", ear.next().get("READY"));
            Files.writeString(file, "listeners: {}");
            assertEquals("1", ear.next().get("RELOADING"));
            var status = String.valueOf(ear.next().get("STATUS"));
            assertTrue(status.contains("the configuration before"), status);
            proxy.terminate();
            assertEquals("1", ear.next().get("STOPPING"));
        }
    }

    @Test
    void a_hot_restart_moves_the_service_to_the_next_process_without_a_lost_request() throws Exception {
        try (var ear = new NoticeListener(notify.toString(), PATIENCE);
                var proxy = start(Map.of(), "proxy", "--config", file.toString())) {
            assertEquals("1", ear.next().get("READY"));
            String last;
            try (var clients = SteadyClients.of(Program.port(proxy.listening()), 2)) {
                clients.await(50);
                signal("USR2", proxy.pid());
                // Both tell it, because either may be the first: the old one before it ends.
                var heard = List.of(ear.next(), ear.next());
                var next = heard.getFirst().get("MAINPID");
                assertEquals(next, heard.getLast().get("MAINPID"));
                assertTrue(heard.stream().anyMatch(message -> "1".equals(message.get("READY"))), heard::toString);
                assertTrue(heard.stream().noneMatch(message -> message.containsKey("STOPPING")), heard::toString);
                assertEquals(0, proxy.exitCode(), proxy::err);
                clients.await(50);
                signal("HUP", Long.parseLong(next));
                assertEquals("1", ear.next().get("RELOADING"));
                assertEquals("1", ear.next().get("READY"));
                clients.await(50);
                // One more: what started it is its own command.
                signal("USR2", Long.parseLong(next));
                last = ear.next().get("MAINPID");
                assertEquals(last, ear.next().get("MAINPID"));
                clients.await(50);
            }
            signal("TERM", Long.parseLong(last));
            assertEquals("1", ear.next().get("STOPPING"));
        }
    }

    @Test
    void a_next_process_that_cannot_start_leaves_the_service_where_it_is() throws Exception {
        try (var ear = new NoticeListener(notify.toString(), PATIENCE);
                var proxy = start(Map.of("MILLRACE_LAUNCHER", "/bin/false"), "proxy", "--config", file.toString())) {
            assertEquals("1", ear.next().get("READY"));
            signal("USR2", proxy.pid());
            signal("HUP", proxy.pid());
            assertEquals("1", ear.next().get("RELOADING"));
            assertEquals("1", ear.next().get("READY"));
            proxy.terminate();
            assertEquals("1", ear.next().get("STOPPING"));
            assertEquals(0, proxy.exitCode(), proxy::err);
        }
    }

    @Test
    void without_a_hand_over_a_hot_restart_is_refused() throws Exception {
        Files.writeString(file, Files.readString(file).replace("runtime: {hand-over: next.sock}", ""));
        try (var ear = new NoticeListener(notify.toString(), PATIENCE);
                var proxy = start(Map.of(), "proxy", "--config", file.toString())) {
            assertEquals("1", ear.next().get("READY"));
            signal("USR2", proxy.pid());
            signal("HUP", proxy.pid());
            assertEquals("1", ear.next().get("RELOADING"));
            assertEquals("1", ear.next().get("READY"));
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            assertTrue(proxy.err().contains("name a socket with hand-over of runtime"), proxy::err);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"proxy --config FILE", "http --listen 127.0.0.1:0", "echo --listen 127.0.0.1:0"})
    void a_watchdog_is_fed(String command) throws Exception {
        var arguments = command.replace("FILE", file.toString()).split(" ", -1);
        try (var ear = new NoticeListener(notify.toString(), PATIENCE);
                var program = start(Map.of("WATCHDOG_USEC", "300000"), arguments)) {
            assertEquals("1", ear.next().get("READY"));
            for (int i = 0; i < 3; i++) assertEquals(Map.of("WATCHDOG", "1"), ear.next());
            program.terminate();
            var last = ear.next();
            while (last.containsKey("WATCHDOG")) last = ear.next();
            assertEquals("1", last.get("STOPPING"));
            assertEquals(0, program.exitCode(), program::err);
        }
    }

    /// Started by the first client, as systemd does it.
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "auto", "nio"})
    void a_listener_takes_the_socket_it_was_started_with(String transport) throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(ACTIVATE), "there is no " + ACTIVATE);
        var path = folder.resolve("web.sock");
        var activate = List.of(ACTIVATE.toString(), "-l", path.toString(), "--fdname=web");
        try (var program = Program.start(activate, Map.of(), "http", "--listen", "fd:web", "--transport", transport)) {
            if (transport.equals("nio")) {
                try (var _ = connected(path)) {
                    assertEquals(1, program.exitCode());
                    assertTrue(program.err().contains("the transport nio cannot listen on the sockets"), program::err);
                }
                return;
            }
            try (var client = connected(path)) {
                client.write(ByteBuffer.wrap("GET /plaintext HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII)));
                var answer = ByteBuffer.allocate(4096);
                while (client.read(answer) >= 0) {
                    // To its end.
                }
                var text = new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII);
                assertTrue(text.startsWith("HTTP/1.1 200 "), text);
            }
            program.terminate();
            assertEquals(0, program.exitCode(), program::err);
            assertTrue(Files.exists(path));
        }
    }

    /// Once the manager listens.
    private static SocketChannel connected(Path path) throws IOException {
        while (true) {
            var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.connect(UnixDomainSocketAddress.of(path));
                return channel;
            } catch (IOException _) {
                channel.close();
                Waiting.briefly();
            }
        }
    }
}
