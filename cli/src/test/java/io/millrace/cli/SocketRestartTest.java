package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.server.Http;
import io.millrace.http.websocket.WebSocket;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// `millrace proxy` takes over from `millrace proxy` while WebSockets are open: each is told to go, comes back, and is
/// served by the new process.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
@EnabledOnOs(OS.LINUX)
class SocketRestartTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private final EventLoops loops = EventLoops.of(1);
    private final Server backend = Http.listen(
            Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .loops(loops),
            request -> WebSocket.accept(request, socket -> socket::send));

    @TempDir
    Path folder;

    @AfterEach
    void stop() {
        backend.close();
        loops.close();
    }

    private Path file(int drainSeconds) throws IOException {
        return Files.writeString(folder.resolve("proxy.yaml"), """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {app: {upstream: app}}
                upstreams:
                  app:
                    endpoints: ["127.0.0.1:BACKEND"]
                    limits: {connections: 20000, connections-per-backend: 20000, requests-per-backend: 20000}
                admin: {address: "127.0.0.1:0"}
                runtime: {hand-over: next.sock}
                drain-timeout: DRAINs
                """.replace("BACKEND", "" + backend.port())
                .replace("DRAIN", "" + drainSeconds));
    }

    /// @return how many were told to go in each second
    private List<Integer> restartUnder(int idle, int busy, int drainSeconds) throws Exception {
        var file = file(drainSeconds).toString();
        try (var before = Program.start("proxy", "--config", file)) {
            var address = before.listening();
            try (var sockets = ReturningSockets.of(Program.port(address), idle, busy)) {
                sockets.awaitServed();
                assertEquals(List.of(), sockets.failures());
                try (var next = Program.start("proxy", "--config", file)) {
                    assertEquals(address, next.listening());
                    var page = next.line();
                    sockets.awaitServedAgain();
                    assertEquals(0, before.exitCode(), before::err);
                    assertEquals(List.of(), before.troubles());
                    assertEquals(List.of(), sockets.failures());
                    assertEquals(Map.of(1001, idle + busy), sockets.codes());
                    var open = "millrace_websockets_open{upstream=\"app\"} " + (idle + busy);
                    assertTrue(metrics(page).lines().anyMatch(open::equals), open);
                    return sockets.toldBySecond();
                }
            }
        }
    }

    private static String metrics(String page) throws Exception {
        var uri = URI.create(page.substring(page.indexOf("http")) + "metrics");
        try (var client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                    .body();
        }
    }

    @Test
    void each_one_is_told_and_comes_back() throws Exception {
        var _ = restartUnder(80, 20, 6);
    }

    /// 5000 that are silent, and 500 that are not, in the time that is the default.
    @Test
    @Tag("long")
    void thousands_are_told_one_after_the_other_and_come_back() throws Exception {
        var told = restartUnder(5_000, 500, 30);
        assertTrue(told.size() >= 20, told::toString);
        assertTrue(told.stream().allMatch(count -> count < 1_000), told::toString);
        System.out.println("told in each second: " + told);
    }
}
