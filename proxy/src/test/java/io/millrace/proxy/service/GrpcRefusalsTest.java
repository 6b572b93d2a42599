package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.proxy.GrpcPeer;
import io.millrace.proxy.RawBackend;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Whatever refuses a call of gRPC, its client (grpc-go) reads a status of gRPC, and never a page.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class GrpcRefusalsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    private static Path folder;

    private static GrpcPeer backend;
    private static RawBackend pages;
    private static Serving proxy;

    /// A route for each value of the field `kind`.
    private static String configuration(Path folder, String backend, int pages) {
        return """
                listeners:
                  web:
                    address: "127.0.0.1:0"
                    limits: {head: 8KiB, fields: 30}
                    error-pages:
                      folder: %1$s
                      pages: [{class: 4xx, path: /page.html}, {class: 5xx, path: /page.html}]
                      intercept-errors: true
                routes:
                  open: {match: {headers: [{name: kind, value: open}]}, upstream: app}
                  page: {match: {headers: [{name: kind, value: page}]}, respond: {status: 503, body: "<h1>closed</h1>", type: text/html}}
                  empty: {match: {headers: [{name: kind, value: empty}]}, respond: {status: 403}}
                  moved: {match: {headers: [{name: kind, value: moved}]}, redirect: {to: "https://{host}{path}", status: 308}}
                  files: {match: {headers: [{name: kind, value: files}]}, files: {folder: %1$s}}
                  denied: {match: {headers: [{name: kind, value: denied}]}, upstream: app, access: {allow: [10.0.0.1]}}
                  rate:
                    match: {headers: [{name: kind, value: rate}]}
                    upstream: app
                    rate-limit: {requests: 1, per: 1h, burst: 1}
                  password:
                    match: {headers: [{name: kind, value: password}]}
                    upstream: app
                    basic-auth: {users: {ada: "pbkdf2-sha256$10000$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}
                  short: {match: {headers: [{name: kind, value: short}]}, upstream: app, request-body: {max-size: 1KiB}}
                  collected:
                    match: {headers: [{name: kind, value: collected}]}
                    upstream: app
                    request-body: {max-size: 1KiB, buffer: 64KiB}
                  down: {match: {headers: [{name: kind, value: down}]}, upstream: down}
                  late: {match: {headers: [{name: kind, value: late}]}, upstream: late}
                  other: {match: {headers: [{name: kind, value: other}]}, upstream: other}
                upstreams:
                  app: {endpoints: ["127.0.0.1:%2$s"], protocol: h2}
                  late: {endpoints: ["127.0.0.1:%2$s"], protocol: h2, timeouts: {first-byte: 200ms}}
                  down: {endpoints: ["127.0.0.1:1"], protocol: h2}
                  other: {endpoints: ["127.0.0.1:%3$d"], protocol: h1}
                runtime: {loops: 1}
                """.formatted(folder, backend, pages);
    }

    @BeforeAll
    static void there_is_a_proxy() throws IOException {
        Files.writeString(folder.resolve("page.html"), "<h1>an error</h1>");
        backend = GrpcPeer.serve(Optional.empty());
        pages = RawBackend.answering("HTTP/1.1 502 Oh\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<h1>");
        proxy = Serving.of(configuration(folder, backend.line(), pages.port()));
    }

    @AfterAll
    static void it_ends() throws IOException {
        proxy.close();
        pages.close();
        backend.close();
    }

    private static List<String> say(String text, String... fields) throws IOException {
        int port = ((InetSocketAddress) proxy.service().addresses().getFirst()).getPort();
        var scenario = Stream.concat(Stream.of("say", text), Arrays.stream(fields));
        return GrpcPeer.ask(port, Optional.empty(), scenario.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({
        "none,      Unimplemented,     404 Not Found",
        "page,      Unavailable,       503 Service Unavailable",
        "empty,     PermissionDenied,  403 Forbidden",
        "moved,     Unknown,           308 Permanent Redirect",
        "files,     Unknown,           405 Method Not Allowed",
        "denied,    PermissionDenied,  403 Forbidden",
        "password,  Unauthenticated,   401 Unauthorized",
        "down,      Unavailable,       503 Service Unavailable"
    })
    void a_refusal_is_a_status_of_grpc(String kind, String code, String message) throws IOException {
        assertEquals(List.of(code + "  0  0 []", message), say("hello", "kind=" + kind));
    }

    @Test
    void a_call_too_many_is_unavailable() throws IOException {
        assertEquals(List.of("OK hello 0 0 0 [0 1 255]", ""), say("hello", "kind=rate"));
        assertEquals(List.of("Unavailable  0  0 []", "429 Too Many Requests"), say("hello", "kind=rate"));
    }

    @Test
    void a_backend_that_is_late_is_unavailable() throws IOException {
        assertEquals(List.of("Unavailable  0  0 []", "504 Gateway Timeout"), say("wait", "kind=late"));
    }

    @ParameterizedTest
    @CsvSource({"short", "collected"})
    void a_message_that_is_too_long_exhausts_a_resource(String kind) throws IOException {
        var refused = List.of("ResourceExhausted  0  0 []", "413 Content Too Large");
        assertEquals(refused, say("x".repeat(2000), "kind=" + kind));
        assertEquals(refused, say("x".repeat(100_000), "kind=" + kind));
        assertEquals("OK hello 0 0 0 [0 1 255]", say("hello", "kind=" + kind).getFirst());
    }

    @Test
    void too_many_fields_exhaust_a_resource() throws IOException {
        var refused = List.of("ResourceExhausted  0  0 []", "431 Request Header Fields Too Large");
        // What is too long by the length that the proxy announces, this client does not even send.
        var many = Stream.concat(
                Stream.of("kind=open"), Stream.iterate(0, i -> i + 1).limit(40).map(i -> "f" + i + "=v"));
        assertEquals(refused, say("hello", many.toArray(String[]::new)));
    }

    /// What a backend answers is its own; its client makes a status of it.
    @Test
    void the_page_of_a_backend_is_not_replaced_by_one_of_the_proxy() throws IOException {
        assertEquals("Unavailable  0  0 []", say("hello", "kind=other").getFirst());
    }
}
