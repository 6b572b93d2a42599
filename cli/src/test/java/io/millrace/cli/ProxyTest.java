package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The contract of `millrace proxy --layer 4`, seen from outside its process.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ProxyTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private final EventLoops loops = EventLoops.of(1);
    private final Server echo = Tcp.listen(here(), conn -> in -> conn.output().move(in));

    @AfterEach
    void stop() {
        echo.close();
        loops.close();
    }

    @ParameterizedTest
    @CsvSource({
        "nio,   same,   pooled",
        "nio,   shared, pooled",
        "nio,   own,    pooled",
        "epoll, same,   pooled",
        "epoll, shared, pooled",
        "epoll, own,    pooled",
        "epoll, own,    unpooled",
    })
    void carries_both_ways_then_ends_with_0_on_SIGTERM(String transport, String upstreamLoops, String slabs)
            throws Exception {
        try (var proxy = Program.start(
                        "proxy",
                        "--layer",
                        "4",
                        "--listen",
                        "127.0.0.1:0",
                        "--to",
                        "127.0.0.1:" + echo.port(),
                        "--transport",
                        transport,
                        "--upstream-loops",
                        upstreamLoops,
                        "--slabs",
                        slabs,
                        "--loops",
                        "2");
                var socket = proxy.connect()) {
            RoundTrips.assertEchoes(socket, 100_000);
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            assertEquals(List.of(), proxy.rest());
            assertEquals(List.of(), proxy.troubles());
        }
    }

    @Test
    void connections_go_to_the_upstreams_in_turn() throws Exception {
        try (var first = bound();
                var second = bound();
                var proxy = startTo("localhost:" + first.getLocalPort() + ",127.0.0.1:" + second.getLocalPort())) {
            int port = Program.port(proxy.listening());
            try (var _ = client(port);
                    var _ = client(port);
                    var seenFirst = first.accept();
                    var seenSecond = second.accept()) {
                assertEquals(first.getLocalPort(), seenFirst.getLocalPort());
                assertEquals(second.getLocalPort(), seenSecond.getLocalPort());
            }
        }
    }

    @Test
    void a_client_whose_upstream_refuses_gets_another_one() throws Exception {
        var closed = "127.0.0.1:" + Machine.closedPort();
        try (var proxy =
                startTo(closed + "," + closed.replace("127.0.0.1", "127.0.0.2") + ",127.0.0.1:" + echo.port())) {
            int port = Program.port(proxy.listening());
            for (int i = 0; i < 2; i++) {
                try (var client = client(port)) {
                    RoundTrips.assertAnswers(client);
                }
            }
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            assertEquals(2, proxy.troubles().size(), proxy::err);
            for (var line : proxy.troubles()) assertTrue(line.contains(" cannot be reached: "), line);
        }
    }

    @Test
    void upstreams_that_all_refuse_cost_a_client_the_connection_and_nothing_else() throws Exception {
        int closed = Machine.closedPort();
        try (var proxy = startTo("127.0.0.1:" + closed)) {
            try (var unlucky = client(Program.port(proxy.listening()))) {
                assertTrue(isCut(unlucky));
            }
            proxy.terminate();
            assertEquals(0, proxy.exitCode(), proxy::err);
            assertEquals(2, proxy.troubles().size(), proxy::err);
            for (var line : proxy.troubles()) assertTrue(line.contains("127.0.0.1:" + closed), line);
        }
    }

    @Test
    void has_a_page_and_metrics_that_show_connections_and_upstreams() throws Exception {
        try (var client = HttpClient.newHttpClient();
                var proxy = Program.start(
                        "proxy",
                        "--layer",
                        "4",
                        "--listen",
                        "127.0.0.1:0",
                        "--to",
                        "127.0.0.1:" + echo.port(),
                        "--admin",
                        "127.0.0.1:0",
                        "--loops",
                        "1")) {
            try (var socket = proxy.connect()) {
                RoundTrips.assertAnswers(socket);
                var page = proxy.line().replaceAll("admin page on (.*)", "$1");
                var backend = "\"name\":\"127.0.0.1:" + echo.port() + "\",\"state\":\"up\"";
                assertTrue(get(client, page + "api/state").contains(backend));
                var labels = "{layer=\"4\",upstream=\"upstream\",backend=\"127.0.0.1:" + echo.port() + "\"} 1\n";
                assertTrue(get(client, page + "metrics").contains("\nmillrace_backend_connections" + labels));
            }
        }
    }

    private static String get(HttpClient client, String uri) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(uri))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        return client.send(request, BodyHandlers.ofString()).body();
    }

    @Test
    void an_unknown_upstream_ends_it_with_1_and_a_sentence() throws Exception {
        try (var proxy = startTo("127.0.0.1:" + echo.port() + ",nowhere.invalid:80")) {
            assertEquals(1, proxy.exitCode(), proxy::err);
            assertEquals(List.of(), proxy.rest());
            assertTrue(proxy.err().startsWith("millrace proxy: unknown host 'nowhere.invalid':"), proxy::err);
            assertEquals(1, proxy.err().lines().count(), proxy::err);
        }
    }

    private static Program startTo(String upstreams) throws IOException {
        return Program.start("proxy", "--layer", "4", "--listen", "127.0.0.1:0", "--to", upstreams);
    }

    private static ServerSocket bound() throws IOException {
        return new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    }

    private static Socket client(int port) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    private static boolean isCut(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException _) {
            return true;
        }
    }

    private Listen here() {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }
}
