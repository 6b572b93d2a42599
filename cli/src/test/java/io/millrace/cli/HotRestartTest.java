package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `millrace proxy` takes over from `millrace proxy`, seen from outside of both processes.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
@EnabledOnOs(OS.LINUX)
class HotRestartTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final int CLIENTS = 4;
    private static final int A_FEW = 50;

    private final EventLoops loops = EventLoops.of(1);
    private final Server backend = Http.listen(
            Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .loops(loops),
            request -> Response.ok("hello"));

    @TempDir
    Path folder;

    @AfterEach
    void stop() {
        backend.close();
        loops.close();
    }

    private Path file(String transport) throws IOException {
        return Files.writeString(folder.resolve("proxy.yaml"), """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {app: {upstream: app}}
                upstreams: {app: {endpoints: ["127.0.0.1:BACKEND"]}}
                admin: {address: "127.0.0.1:0"}
                runtime: {transport: TRANSPORT, hand-over: next.sock}
                """.replace("BACKEND", "" + backend.port())
                .replace("TRANSPORT", transport));
    }

    private static Program start(Path file) throws IOException {
        return Program.start("proxy", "--config", file.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "auto"})
    void no_request_fails_while_one_process_follows_the_other(String transport) throws Exception {
        var file = file(transport);
        var current = start(file);
        try {
            var address = current.listening();
            var metrics = current.line();
            try (var clients = SteadyClients.of(Program.port(address), CLIENTS);
                    var others = SteadyClients.ofHttp2(Program.port(address), CLIENTS)) {
                clients.await(A_FEW);
                others.await(A_FEW);
                for (int i = 0; i < 2; i++) {
                    var before = current;
                    current = start(file);
                    assertEquals(address, current.listening());
                    assertEquals(metrics, current.line());
                    assertEquals(0, before.exitCode(), before::err);
                    assertTold(before, current, i > 0);
                    clients.await(A_FEW);
                    others.await(A_FEW);
                }
            }
            current.terminate();
            assertEquals(0, current.exitCode(), current::err);
            assertFalse(Files.exists(folder.resolve("next.sock")));
        } finally {
            current.close();
        }
    }

    private static void assertTold(Program before, Program after, boolean hasFollowed) {
        var told = before.err().replaceAll("(?m)^\\S+ ", "").replace("process " + before.pid(), "process PID");
        var followed = """
                INFO io.millrace.handover: process PID asks process \\d+ for its sockets, to take over
                INFO io.millrace.handover: process PID serves, in place of process \\d+, which ends when .*
                """;
        var left = "INFO io.millrace.handover: process " + after.pid() + " has taken over\n";
        var waited = """
                INFO io.millrace.proxy: process PID ends when \\d connections?, with \\d requests? and 0 WebSockets \
                at backends, ha(s|ve) ended, at the latest in 30 s \\(drain-timeout\\)
                INFO io.millrace.proxy: process PID has no connection any more, after .*
                """;
        var idle = "INFO io.millrace.proxy: process PID ends: no connection is open\n";
        var expected = (hasFollowed ? followed : "") + left + "(" + waited + "|" + idle + ")";
        assertTrue(told.matches(expected), told);
    }

    @Test
    void a_process_that_cannot_serve_leaves_the_one_before_serving() throws Exception {
        var file = file("auto");
        try (var first = start(file);
                var clients = SteadyClients.of(Program.port(first.listening()), CLIENTS)) {
            clients.await(A_FEW);
            // Only the backend may listen there.
            var other = Files.readString(file)
                    .replace(
                            "admin: {address: \"127.0.0.1:0\"}",
                            "admin: {address: \"127.0.0.1:" + backend.port() + "\"}");
            try (var second = start(Files.writeString(folder.resolve("other.yaml"), other))) {
                assertEquals(1, second.exitCode(), second::err);
                assertTrue(second.err().contains("the address is in use"), second::err);
            }
            try (var third = start(Files.writeString(folder.resolve("bad.yaml"), "listeners: {}\n"))) {
                assertEquals(1, third.exitCode(), third::err);
            }
            clients.await(A_FEW);
        }
    }

    @Test
    void the_options_of_the_command_line_do_it_too() throws Exception {
        try (var first = startLayer4()) {
            var address = first.listening();
            try (var clients = SteadyClients.of(Program.port(address), 1)) {
                clients.await(A_FEW);
            }
            try (var second = startLayer4()) {
                assertEquals(address, second.listening());
                assertEquals(0, first.exitCode(), first::err);
                try (var clients = SteadyClients.of(Program.port(address), 1)) {
                    clients.await(A_FEW);
                }
            }
        }
    }

    private Program startLayer4() throws IOException {
        return Program.start(
                "proxy",
                "--layer",
                "4",
                "--listen",
                "127.0.0.1:0",
                "--to",
                "127.0.0.1:" + backend.port(),
                "--hand-over",
                folder.resolve("next.sock").toString());
    }
}
