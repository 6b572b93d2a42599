package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.RawBackend;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Who is believed what, and whose fields a backend gets.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TrustTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    /// @param listener keys of it
    /// @param route keys of the only one
    private static String file(RawBackend backend, String listener, String route) {
        return """
                listeners: {web: {address: "127.0.0.1:0"%s}}
                routes: {all: {upstream: app%s}}
                upstreams: {app: {endpoints: ["127.0.0.1:%d"]}}
                runtime: {loops: 1}
                """.formatted(listener, route, backend.port());
    }

    private static int status(String listener, String request) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = Serving.of(file(backend, listener, ""));
                var client = proxy.connect()) {
            return client.send(request).read().status();
        }
    }

    private static String from(String address) {
        return "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: " + address + "\r\n\r\n";
    }

    private static List<String> all(List<String> head, String name) {
        return head.stream()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .toList();
    }

    private static List<String> passed(String listener, String route, String request) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = Serving.of(file(backend, listener, route));
                var client = proxy.connect()) {
            assertEquals(200, client.send(request).read().status());
            return backend.nextHead();
        }
    }

    // The client.

    @Test
    void nobody_is_believed_unless_the_file_says_so() throws Exception {
        assertEquals(403, status(", access: {allow: [192.0.2.0/24]}", from("192.0.2.1")));
    }

    @Test
    void gates_go_by_the_real_client() throws Exception {
        var listener = ", real-ip: {from: [127.0.0.0/8]}, access: {allow: [192.0.2.0/24]}";
        assertEquals(200, status(listener, from("192.0.2.1")));
        assertEquals(403, status(listener, from("192.0.2.1, 198.51.100.1")));
    }

    @Test
    void what_the_proxy_protocol_says_is_the_peer_of_real_ip() throws Exception {
        var listener =
                ", proxy-protocol: {from: [127.0.0.0/8]}, real-ip: {from: [10.0.0.0/8]}, access: {allow: [192.0.2.0/24]}";
        assertEquals(200, status(listener, "PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n" + from("192.0.2.1")));
        assertEquals(403, status(listener, "PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n" + from("198.51.100.1")));
        assertEquals(403, status(listener, "PROXY TCP4 198.51.100.1 10.0.0.2 1 2\r\n" + from("192.0.2.1")));
    }

    @Test
    void the_backend_is_told_the_real_client() throws Exception {
        assertEquals(
                List.of("192.0.2.1"),
                all(passed(", real-ip: {from: [127.0.0.0/8]}", "", from("6.6.6.6, 192.0.2.1")), "X-Forwarded-For"));
    }

    @Test
    void a_field_behind_a_body_says_nothing_of_the_client() throws Exception {
        var listener = ", real-ip: {from: [127.0.0.0/8]}, access: {allow: [192.0.2.0/24]}";
        var head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n";
        var body = "2\r\nab\r\n0\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n";
        assertEquals(403, status(listener, head + "\r\n" + body));
        assertEquals(403, status(listener, head + "X-Forwarded-For: 198.51.100.1\r\n\r\n" + body));
    }

    @Test
    void a_peer_on_a_unix_socket_is_believed_by_real_ip(@TempDir Path folder) throws Exception {
        var socket = folder.resolve("front");
        try (var backend = RawBackend.answering(OK);
                var _ = Serving.of(file(backend, ", real-ip: {from: [10.0.0.0/8]}, access: {allow: [192.0.2.0/24]}", "")
                        .replace("127.0.0.1:0", "unix:" + socket))) {
            assertEquals("HTTP/1.1 200", start(socket, from("192.0.2.1")));
            assertEquals("HTTP/1.1 200", start(socket, from("198.51.100.1, 192.0.2.1, 10.0.0.7")));
            assertEquals("HTTP/1.1 403", start(socket, from("192.0.2.1, 198.51.100.1")));
            assertEquals("HTTP/1.1 403", start(socket, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
        }
    }

    /// Of the answer to a request on a Unix socket.
    private static String start(Path socket, String request) throws IOException {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.ISO_8859_1)));
            var answer = ByteBuffer.allocate("HTTP/1.1 200".length());
            while (answer.hasRemaining() && channel.read(answer) >= 0) {}
            return new String(answer.array(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void trust_that_is_taken_away_is_gone_with_the_reload() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = Serving.of(file(
                        backend,
                        ", proxy-protocol: {from: [127.0.0.0/8], required: false}, access: {deny: [127.0.0.0/8]}",
                        ""))) {
            var announced = "PROXY TCP4 192.0.2.1 10.0.0.2 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
            try (var client = proxy.connect()) {
                assertEquals(200, client.send(announced).read().status());
            }
            proxy.service().reload(Serving.configuration(file(backend, ", access: {deny: [127.0.0.0/8]}", "")));
            try (var client = proxy.connect()) {
                assertEquals(400, client.send(announced).read().status());
            }
        }
    }

    // The host.

    @Test
    void a_target_that_names_its_host_stands_for_the_field() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = Serving.of(file(backend, "", "") // the default site, and one that is closed
                        .replace(
                                "routes: {",
                                "routes: {admin: {match: {hosts: [admin.test]}, respond: {status: 403}}, "));
                var client = proxy.connect()) {
            assertEquals(
                    403,
                    client.send("GET http://admin.test/ HTTP/1.0\r\n\r\n")
                            .read()
                            .status());
        }
    }

    // Fields.

    @Test
    void no_client_has_a_field_of_the_operator_left_out() throws Exception {
        var route = ", request-headers: {set: {X-Internal-Auth: ours}}";
        var request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: X-Internal-Auth\r\nX_Internal_Auth: theirs"
                + "\r\nx-internal-auth: theirs\r\n\r\n";
        var head = passed("", route, request);
        assertEquals(List.of("ours"), all(head, "X-Internal-Auth"));
        assertTrue(head.stream().noneMatch(line -> line.contains("theirs")), head::toString);
    }

    @Test
    void a_field_that_the_operator_sets_is_the_operators() throws Exception {
        var set = List.of("X-Real-IP", "X-Forwarded-Proto", "X-Forwarded-Port", "Forwarded", "X-Forwarded-For", "Via");
        for (var name : set) {
            var route = ", request-headers: {set: {" + name + ": ours}}";
            var request = "GET / HTTP/1.1\r\nHost: a\r\n" + name + ": theirs\r\n\r\n";
            assertEquals(List.of("ours"), all(passed("", route, request), name), name);
        }
    }

    @Test
    void a_field_that_the_operator_removes_is_not_there() throws Exception {
        var head = passed("", ", request-headers: {remove: [X-Forwarded-Host, Via]}", from("6.6.6.6"));
        assertEquals(List.of(), all(head, "X-Forwarded-Host"));
        assertEquals(List.of(), all(head, "Via"));
        assertEquals(List.of("127.0.0.1"), all(head, "X-Forwarded-For"));
    }

    @Test
    void trailers_have_no_field_of_the_operator() throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.head();
                    visit.send(OK);
                    visit.head();
                });
                var proxy = Serving.of(file(backend, "", ", request-headers: {set: {X-Auth: a}, add: {X-More: b}}"));
                var client = proxy.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Auth: theirs"
                    + "\r\nX_More: theirs\r\nX-Sum: 1\r\n\r\n");
            assertEquals(200, client.read().status());
            var _ = backend.nextHead();
            assertEquals(List.of("0", "X-Sum: 1"), backend.nextHead());
        }
    }
}
