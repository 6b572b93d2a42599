package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.testing.Machine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A proxy whose configuration changes while it serves.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProxyServiceTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    private static Configuration configuration(String text) {
        return switch (ConfigurationFile.parse("test.yaml", Path.of("."), text, Map.of())) {
            case CheckedFile.Good good -> good.configuration();
            case CheckedFile.Bad bad -> throw new AssertionError(bad.problems());
        };
    }

    private static String listening(int port, String routes) {
        return "listeners:\n  web:\n    address: 127.0.0.1:" + port + "\nroutes:\n" + routes
                + "\nruntime: {loops: 1}\n";
    }

    private static String saying(int port, String text) {
        return listening(port, "  all:\n    respond: {body: " + text + "}");
    }

    private static String forwarding(RawBackend backend, String name) {
        return listening(0, "  " + name + ":\n    upstream: app") + "upstreams:\n  app:\n    endpoints: ["
                + backend.uri().substring("http://".length()) + "]\n";
    }

    private static int port(ProxyService service) {
        return ((InetSocketAddress) service.addresses().getFirst()).getPort();
    }

    @Test
    void the_next_request_of_a_connection_is_answered_by_the_next_routes() throws Exception {
        try (var service = ProxyService.start(configuration(saying(0, "one")));
                var client = new RawClient(port(service))) {
            assertEquals("one", client.get("/").read().text());
            service.reload(configuration(saying(0, "two")));
            assertEquals("two", client.get("/").read().text());
        }
    }

    @Test
    void a_listener_behind_tls_says_so() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var service = ProxyService.start(
                        configuration(forwarding(backend, "one").replace("  web:\n", "  web:\n    scheme: https\n")));
                var client = new RawClient(port(service))) {
            assertEquals("hello", client.get("/").read().text());
            assertTrue(backend.nextHead().contains("X-Forwarded-Proto: https"));
        }
    }

    @Test
    void nobody_meets_an_upstream_that_does_not_know_its_backends_yet() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var service = ProxyService.start(configuration(named(backend, "one")));
                var client = new RawClient(port(service))) {
            assertEquals("hello", client.get("/").read().text());
            service.reload(configuration(named(backend, "other")));
            assertEquals("hello", client.get("/").read().text());
        }
    }

    private static String named(RawBackend backend, String name) {
        return listening(0, "  all:\n    upstream: " + name) + "upstreams:\n  " + name
                + ":\n    dns: {name: localhost, port: " + backend.port() + ", min-ttl: 2s, max-ttl: 10s}\n";
    }

    @Test
    void connect_leads_where_the_file_says_as_long_as_it_does() throws Exception {
        try (var server = RawBackend.answering(OK);
                var service = ProxyService.start(configuration(
                        saying(0, "one") + "forwarding: {connect: [\"127.0.0.1:" + server.port() + "\"]}\n"))) {
            var asking =
                    "CONNECT 127.0.0.1:" + server.port() + " HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\n\r\n";
            try (var client = new RawClient(port(service))) {
                assertEquals(200, client.send(asking).readHead().status());
                assertEquals("hello", client.get("/").read().text());
            }
            service.reload(configuration(saying(0, "one")));
            try (var client = new RawClient(port(service))) {
                assertEquals(501, client.send(asking).read().status());
            }
        }
    }

    @Test
    void an_upstream_that_stays_keeps_its_connections() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var service = ProxyService.start(configuration(forwarding(backend, "one")));
                var client = new RawClient(port(service))) {
            assertEquals("hello", client.get("/").read().text());
            service.reload(configuration(forwarding(backend, "two")));
            assertEquals("hello", client.get("/").read().text());
            assertEquals(1, backend.connections());
        }
    }

    @Test
    void a_request_ends_with_the_configuration_it_began_with() throws Exception {
        var isAsked = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    isAsked.countDown();
                    await(goOn);
                    visit.send(OK);
                });
                var service = ProxyService.start(configuration(forwarding(backend, "one")));
                var client = new RawClient(port(service))) {
            client.get("/");
            isAsked.await();
            service.reload(configuration(saying(0, "two")));
            goOn.countDown();
            assertEquals("hello", client.read().text());
            assertEquals("two", client.get("/").read().text());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_configuration_that_cannot_listen_changes_nothing() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var service = ProxyService.start(configuration(saying(0, "one")));
                var client = new RawClient(port(service))) {
            var next = configuration(saying(taken.getLocalPort(), "two"));
            assertThrows(IOException.class, () -> service.reload(next));
            assertEquals("one", client.get("/").read().text());
            assertEquals(1, service.addresses().size());
        }
    }

    @Test
    void a_listener_that_is_gone_ends_when_its_requests_have() throws Exception {
        int port = Machine.freePort();
        try (var service = ProxyService.start(configuration(saying(port, "one")));
                var client = new RawClient(port)) {
            assertEquals("one", client.get("/").read().text());
            service.reload(configuration(saying(0, "two")));
            client.assertEnd();
            try (var other = new RawClient(port(service))) {
                assertEquals("two", other.get("/").read().text());
            }
        }
    }

    @Test
    void connections_of_layer_4_pass_through_gates_to_an_upstream() throws Exception {
        try (var backend = RawBackend.answering(OK)) {
            var text = """
                    listeners:
                      open: {address: "127.0.0.1:0", layer: 4, upstream: app}
                    upstreams: {app: {endpoints: ["%s"]}}
                    runtime: {loops: 1}
                    """.formatted(backend.uri().substring("http://".length()));
            try (var service = ProxyService.start(configuration(text));
                    var client = new RawClient(port(service))) {
                assertEquals("hello", client.get("/").read().text());
                service.reload(
                        configuration(text.replace("upstream: app", "upstream: app, access: {deny: [127.0.0.1]}")));
                assertEquals("hello", client.get("/").read().text());
                assertThrows(IOException.class, () -> {
                    try (var refused = new RawClient(port(service))) {
                        refused.get("/").read();
                    }
                });
            }
        }
    }

    @Test
    void gates_log_and_metrics_are_those_of_the_file(@TempDir Path folder) throws Exception {
        var log = folder.resolve("access.log");
        var text = """
                listeners:
                  web:
                    address: "127.0.0.1:0"
                    rate-limit: {requests: 1, per: 1h, burst: 2}
                routes: {all: {respond: {body: hi}}}
                access-log: {format: json, file: %s}
                admin: {address: "127.0.0.1:0"}
                runtime: {loops: 1}
                """.formatted(log);
        try (var service = ProxyService.start(configuration(text))) {
            try (var client = new RawClient(port(service));
                    var admin = new RawClient(
                            ((InetSocketAddress) service.adminAddress().orElseThrow()).getPort())) {
                assertEquals(200, client.get("/a").read().status());
                assertEquals(200, client.get("/b").read().status());
                assertEquals(429, client.get("/c").read().status());
                assertTrue(admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        .read()
                        .text()
                        .contains("\nmillrace_access_log_dropped_total 0\n"));
            }
        }
        assertEquals(3, Files.readAllLines(log).size());
    }

    @Test
    void a_route_behind_two_listeners_has_a_rate_limit_behind_each() throws Exception {
        var text = """
                listeners: {web: {address: '127.0.0.1:0'}, other: {address: 'localhost:0'}}
                routes: {all: {respond: {body: hi}, rate-limit: {requests: 1, per: 1h, all: true}}}
                runtime: {loops: 1}
                """;
        try (var service = ProxyService.start(configuration(text))) {
            for (var at : service.addresses()) {
                try (var client = new RawClient(((InetSocketAddress) at).getPort())) {
                    assertEquals(200, client.get("/").read().status());
                    assertEquals(429, client.get("/").read().status());
                }
            }
        }
    }

    @Test
    void an_upstream_that_a_change_brings_into_use_begins_with_what_the_change_says() throws Exception {
        var unused = "upstreams:\n  app:\n    endpoints: ['127.0.0.1:1']\n";
        try (var backend = RawBackend.answering(OK);
                var service = ProxyService.start(configuration(saying(0, "one") + unused));
                var client = new RawClient(port(service))) {
            assertEquals("one", client.get("/").read().text());
            service.reload(configuration(named(backend, "app")));
            assertEquals("hello", client.get("/").read().text());
        }
    }

    @Test
    void what_a_rate_limit_has_counted_stays_while_the_file_says_the_same_of_it() throws Exception {
        var limited = "  all:\n    respond: {body: hi}\n    rate-limit: {requests: 2, per: 1h}\n";
        var other = limited.replace("body: hi", "body: ho")
                .replace("    rate", "    access: {deny: [192.0.2.1]}\n    rate");
        try (var service = ProxyService.start(configuration(listening(0, limited)));
                var client = new RawClient(port(service))) {
            for (int i = 0; i < 2; i++)
                assertEquals("hi", client.get("/").read().text());
            service.reload(configuration(listening(0, other)));
            assertEquals(429, client.get("/").read().status());
            service.reload(configuration(listening(0, other.replace("requests: 2", "requests: 3"))));
            assertEquals("ho", client.get("/").read().text());
        }
    }

    @Test
    void wrong_passwords_are_remembered_until_the_users_change() throws Exception {
        var user = "ada: \"pbkdf2-sha256$10000$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"";
        var guarded = "  all:\n    respond: {body: hi}\n    basic-auth: {users: {" + user + "}}\n";
        var others = guarded.replace("ada", "bob");
        try (var service = ProxyService.start(configuration(listening(0, guarded)));
                var client = new RawClient(port(service))) {
            for (int i = 0; i < 10; i++) assertEquals(401, wrong(client, i));
            assertEquals(429, wrong(client, 10));
            service.reload(configuration(listening(0, guarded.replace("body: hi", "body: ho"))));
            assertEquals(429, wrong(client, 11));
            service.reload(configuration(listening(0, others)));
            assertEquals(401, wrong(client, 12));
        }
    }

    /// One that was not tried before.
    private static int wrong(RawClient client, int number) throws IOException {
        var text = Base64.getEncoder().encodeToString(("ada:wrong" + number).getBytes(StandardCharsets.UTF_8));
        return client.send("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic " + text + "\r\n\r\n")
                .read()
                .status();
    }

    @Test
    void a_cache_control_of_files_is_not_on_errors(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("a.txt"), "text");
        var routes = "  all:\n    files: {folder: '" + folder + "'}\n"
                + "    response-headers: {set: {Cache-Control: max-age=3600}}\n"
                + "    rate-limit: {requests: 1, per: 1h, burst: 2}\n";
        try (var service = ProxyService.start(configuration(listening(0, routes)));
                var client = new RawClient(port(service))) {
            assertEquals("200 max-age=3600", statusAndCaching(client, "/a.txt"));
            assertEquals("404 ", statusAndCaching(client, "/b.txt"));
            assertEquals("429 ", statusAndCaching(client, "/a.txt"));
        }
    }

    private static String statusAndCaching(RawClient client, String path) throws IOException {
        var response = client.get(path).read();
        return response.status() + " " + response.header("cache-control");
    }

    @Test
    void no_request_fails_while_it_changes() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var service = ProxyService.start(configuration(forwarding(backend, "one")));
                var client = new RawClient(port(service))) {
            var changing = Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; i < 50; i++) service.reload(configuration(forwarding(backend, "route" + i)));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            while (changing.isAlive())
                assertEquals("hello", client.get("/").read().text());
            assertEquals("hello", client.get("/").read().text());
        }
    }
}
