package io.millrace.lab.peer.httpcheck;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every proxy passes on what it should, as far as the lab uses it. Each test starts the proxy anew.
@ExtendWith(FailuresByName.class)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProxiesTest {
    /// `-Dpeer=REGEX` is about some of them only.
    private static Stream<String> wanted(List<HttpPeer> all) {
        String wanted = System.getProperty("peer", ".*");
        return all.stream().map(HttpPeer::name).filter(name -> name.matches(wanted));
    }

    static Stream<String> proxies() {
        return wanted(HttpPeer.PROXIES);
    }

    static Stream<String> proxiesOfLayer7() {
        return proxies().filter(name -> name.contains("-7-"));
    }

    static Stream<String> proxiesThatStream() {
        return proxies().filter(name -> !name.endsWith("-2000"));
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxies")
    void passes_on_a_page_again_and_again_on_one_connection(String name) throws Exception {
        try (var backend = new Backend();
                var proxy = start(name, backend);
                var client = new RawClient(proxy.port())) {
            for (int i = 0; i < 500; i++) {
                client.send(get("/length"));
                assertPage(client.receive());
            }
            assertEquals(1, backend.connections());
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxiesOfLayer7")
    void uses_connections_to_the_backend_again_for_other_clients(String name) throws Exception {
        try (var backend = new Backend();
                var proxy = start(name, backend)) {
            for (int i = 0; i < 20; i++) {
                try (var client = new RawClient(proxy.port())) {
                    client.send(get("/length"));
                    assertPage(client.receive());
                }
            }
            // One for each loop, at most.
            assertTrue(backend.connections() <= 2, () -> backend.connections() + " connections");
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxies")
    void passes_on_chunks(String name) throws Exception {
        try (var backend = new Backend();
                var proxy = start(name, backend);
                var client = new RawClient(proxy.port())) {
            client.send(get("/chunked"));
            assertPage(client.receive());
            client.send(get("/length"));
            assertPage(client.receive());
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxies")
    void passes_on_the_head_alone_when_asked_for_that(String name) throws Exception {
        try (var backend = new Backend();
                var proxy = start(name, backend);
                var client = HttpClient.newHttpClient()) {
            var head = HttpRequest.newBuilder(uri(proxy, "/length")).HEAD().build();
            for (int i = 0; i < 3; i++) {
                var response = client.send(head, HttpResponse.BodyHandlers.ofByteArray());
                assertEquals(200, response.statusCode());
                assertEquals("600", response.headers().firstValue("Content-Length").orElse(""));
                assertEquals(0, response.body().length);
            }
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxies")
    void passes_on_a_small_body_of_a_request(String name) throws Exception {
        passesOnTheBody(name, Backend.bytes(1500));
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxiesThatStream")
    void passes_on_a_large_body_of_a_request(String name) throws Exception {
        passesOnTheBody(name, Backend.LARGE);
    }

    private static void passesOnTheBody(String name, byte[] body) throws Exception {
        try (var backend = new Backend();
                var proxy = start(name, backend);
                var client = new RawClient(proxy.port())) {
            for (int i = 0; i < 3; i++) {
                var sent = CompletableFuture.runAsync(() -> send(client, RawClient.echo(body)));
                Response response = client.receive();
                sent.join();
                assertArrayEquals(body, response.body());
            }
        }
    }

    private static void send(RawClient client, byte[] bytes) {
        try {
            client.send(bytes);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxiesThatStream")
    void passes_on_a_large_response(String name) throws Exception {
        try (var backend = new Backend();
                var proxy = start(name, backend);
                var client = new RawClient(proxy.port())) {
            for (int i = 0; i < 3; i++) {
                client.send(get("/large"));
                assertArrayEquals(Backend.LARGE, client.receive().body());
            }
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxies")
    void keeps_the_order_of_requests_of_one_write(String name) throws Exception {
        try (var backend = new Backend();
                var proxy = start(name, backend);
                var client = new RawClient(proxy.port())) {
            byte[] body = Backend.bytes(100);
            client.send(get("/length"), RawClient.echo(body), get("/chunked"), RawClient.echo(body));
            assertPage(client.receive());
            assertArrayEquals(body, client.receive().body());
            assertPage(client.receive());
            assertArrayEquals(body, client.receive().body());
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxiesOfLayer7")
    void keeps_to_itself_what_is_about_one_connection(String name) throws Exception {
        try (var backend = new Backend();
                var proxy = start(name, backend);
                var client = new RawClient(proxy.port())) {
            client.send(request(
                    "GET /fields HTTP/1.1\r\nHost: a\r\nConnection: X-Private, close\r\nX-Private: 1\r\n\r\n"));
            Response response = client.receive();
            assertEquals("null null", new String(response.body(), US_ASCII));
            assertEquals("close", response.field("connection"));
            assertTrue(client.isAtEnd());
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxiesOfLayer7")
    void says_that_the_backend_is_gone(String name) throws Exception {
        var backend = new Backend();
        try (var proxy = start(name, backend);
                var client = new RawClient(proxy.port())) {
            backend.close();
            client.send(get("/length"));
            Response response = client.receive();
            assertTrue(response.statusLine().startsWith("HTTP/1.1 502 "), response::statusLine);
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxiesOfLayer7")
    void refuses_a_response_that_is_longer_than_it_collects(String name) throws Exception {
        try (var backend = new Backend();
                var proxy = start(name, backend);
                var client = new RawClient(proxy.port())) {
            client.send(get("/large"));
            Response response = client.receive();
            boolean isRefused = response.statusLine().startsWith("HTTP/1.1 502 ");
            assertEquals(name.endsWith("-2000"), isRefused, response::statusLine);
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("proxies")
    void many_clients_get_what_they_asked_for(String name) throws Exception {
        try (var backend = new Backend();
                var proxy = start(name, backend)) {
            var clients = Stream.generate(() -> CompletableFuture.runAsync(() -> converse(proxy.port())))
                    .limit(32)
                    .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(clients).join();
            assertFalse(backend.connections() > 32, () -> backend.connections() + " connections");
        }
    }

    private static void converse(int port) {
        try (var client = new RawClient(port)) {
            byte[] body = Backend.bytes(1000 + (int) (Thread.currentThread().threadId() % 1000));
            for (int i = 0; i < 100; i++) {
                client.send(RawClient.echo(body));
                assertArrayEquals(body, client.receive().body());
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RunningPeer start(String name, Backend backend) throws IOException {
        return RunningPeer.start(name, "--backend", "127.0.0.1:" + backend.port());
    }

    private static URI uri(RunningPeer proxy, String path) {
        return URI.create("http://127.0.0.1:" + proxy.port() + path);
    }

    private static byte[] get(String path) {
        return request("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    private static byte[] request(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private static void assertPage(Response response) {
        assertTrue(response.statusLine().startsWith("HTTP/1.1 200 "), response::statusLine);
        assertArrayEquals(Backend.PAGE, response.body());
    }
}
