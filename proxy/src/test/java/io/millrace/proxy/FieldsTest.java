package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.filter.Networks;
import io.millrace.http.message.FieldChanges;
import io.millrace.http.message.RewrittenRequest;
import io.millrace.proxy.Forwarding.Fields;
import io.millrace.proxy.UpstreamSettings.HostPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which fields pass, which do not, and which are the proxy's own (RFC 9110 section 7.6).
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FieldsTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";
    private static final Networks LOOPBACK = Networks.of("127.0.0.0/8", "::1");

    /// What the backend gets of some lines of a request.
    private static List<String> passed(UnaryOperator<Forwarding> rules, String request)
            throws IOException, InterruptedException {
        return passedOn(upstream -> upstream.forwarding(rules.apply(Forwarding.standard())), request);
    }

    private static List<String> passedOn(UnaryOperator<Upstream> setup, String request)
            throws IOException, InterruptedException {
        try (var backend = RawBackend.answering(OK);
                var proxy = Proxying.Kind.NIO_SAME.to(setup, backend.uri());
                var client = proxy.connect()) {
            var reply = client.send(request).read();
            assertEquals(200, reply.status(), reply::toString);
            return backend.nextHead();
        }
    }

    private static List<String> passed(String fields) throws IOException, InterruptedException {
        return passed(rules -> rules, "GET /path HTTP/1.1\r\nHost: a.test\r\n" + fields + "\r\n");
    }

    private static List<String> all(List<String> head, String name) {
        return head.stream()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .toList();
    }

    // Of the target.

    @ParameterizedTest
    @CsvSource({
        "http://a.test, *",
        "http://A.test:80, *",
        "*, *",
        "http://a.test/, /",
        "http://a.test?q, /?q",
        "http://a.test/path, /path",
        "/path, /path"
    })
    void options_for_the_server_as_a_whole_stay_so(String target, String passed) throws Exception {
        var head = passed(rules -> rules, "OPTIONS " + target + " HTTP/1.1\r\nHost: a.test\r\n\r\n");
        assertEquals("OPTIONS " + passed + " HTTP/1.1", head.getFirst());
    }

    // Of one hop.

    @Test
    void trailers_are_asked_for_by_requests_that_are_rewritten_too() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = Proxying.Kind.NIO_SAME.serve(
                        Upstream.of(backend.uri()), upstream -> request -> upstream.handle(rewritten(request)));
                var client = proxy.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a.test\r\nTE: gzip, trailers\r\nConnection: TE\r\n\r\n")
                    .read();
            var head = backend.nextHead();
            assertEquals(List.of("trailers"), all(head, "TE"));
            assertEquals(List.of("TE"), all(head, "Connection"));
            assertEquals(List.of("1"), all(head, "X-New"));
        }
    }

    private static Request rewritten(Request request) {
        return new RewrittenRequest(request, "/new", new FieldChanges(List.of(), Headers.EMPTY.with("X-New", "1")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Keep-Alive: timeout=5",
                "Proxy-Connection: keep-alive",
                "Proxy-Authorization: Basic eDp5",
                "proxy-AUTHORIZATION: Basic eDp5",
                "TE: gzip",
                "Trailer: X-Sum",
                "Upgrade: h2c",
                "Connection: keep-alive",
                "CONNECTION: X-Other",
                "X-Mine: 1\r\nConnection: X-Mine",
                "X-Mine: 1\r\nConnection: x-mINE",
                "Connection: close, X-Mine\r\nX-Mine: 1",
                "Connection: X-Other\r\nConnection: ,X-Mine ,\r\nx-mine: 1\r\nX-MINE: 2",
                "Connection: Authorization\r\nAuthorization: Basic eDp5",
                "Connection: Cookie\r\nCookie: a=b\r\nCookie: c=d",
                "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__"
            })
    void fields_of_one_hop_do_not_reach_the_backend(String lines) throws Exception {
        var head = passed(lines + "\r\nX-Passed: yes\r\n");
        for (var line : lines.split("\r\n", -1)) {
            var name = line.substring(0, line.indexOf(':'));
            assertEquals(List.of(), all(head, name), head::toString);
        }
        assertEquals(List.of("yes"), all(head, "X-Passed"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Keep-Alive: timeout=5",
                "Proxy-Connection: keep-alive",
                "Proxy-Authorization: Basic eDp5",
                "TE: gzip",
                "Trailer: X-Sum",
                "Upgrade: h2c",
                "Connection: keep-alive",
                "X-Mine: 1\r\nConnection: x-mINE",
                "Connection: close, X-Mine\r\nX-Mine: 1",
                "Connection: X-Other\r\nConnection: ,X-Mine ,\r\nx-mine: 1\r\nX-MINE: 2",
                "Connection: Set-Cookie\r\nSet-Cookie: a=b"
            })
    void fields_of_one_hop_do_not_reach_the_client(String lines) throws Exception {
        try (var backend = RawBackend.answering(OK.replace("\r\n\r\n", "\r\n" + lines + "\r\nX-Passed: yes\r\n\r\n"));
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            var reply = client.get("/").read();
            for (var line : lines.split("\r\n", -1)) {
                assertEquals("", reply.header(line.substring(0, line.indexOf(':'))), reply::toString);
            }
            assertEquals("yes", reply.header("X-Passed"));
            assertEquals("ok", reply.text());
        }
    }

    @Test
    void trailers_are_asked_for_where_the_client_takes_them() throws Exception {
        var head = passed("TE: gzip, trailers\r\nConnection: TE\r\n");
        assertEquals(List.of("trailers"), all(head, "TE"));
        assertEquals(List.of("TE"), all(head, "Connection"));
    }

    @Test
    void what_is_nominated_and_the_proxys_own_is_there_nevertheless() throws Exception {
        var head = passed(
                rules -> rules,
                "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\nVia: 1.0 before\r\nX-Forwarded-For: 6.6.6.6"
                        + "\r\nConnection: Host, Content-Length, Via, X-Forwarded-For, Transfer-Encoding\r\n\r\nhi");
        assertEquals(List.of("a.test"), all(head, "Host"));
        assertEquals(List.of("2"), all(head, "Content-Length"));
        assertEquals(List.of("1.1 millrace"), all(head, "Via"));
        assertEquals(List.of("127.0.0.1"), all(head, "X-Forwarded-For"));
        assertEquals(List.of(), all(head, "Transfer-Encoding"));
    }

    @Test
    void fields_behind_a_body_are_held_to_the_same_rules() throws Exception {
        try (var backend = new RecordingBackend();
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: X-Mine\r\nTransfer-Encoding: chunked\r\n\r\n0"
                    + "\r\nX-Sum: 42\r\nX-Mine: 1\r\nKeep-Alive: 5\r\nProxy-Authorization: b\r\nForwarded: for=6.6.6.6"
                    + "\r\nX-Forwarded-For: 6.6.6.6\r\nX_Forwarded_Proto: https\r\n\r\n");
            assertEquals(200, client.read().status());
            assertEquals(List.of("X-Sum: 42"), backend.taken().getFirst().trailers());
        }
    }

    @Test
    void so_are_those_of_a_response() throws Exception {
        try (var backend = RawBackend.answering(CHUNKED
                        + "Connection: X-Mine\r\n\r\n0\r\nX-Sum: 42\r\nx-mine: 1"
                        + "\r\nProxy-Authorization: b\r\n\r\n");
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals(List.of("X-Sum: 42"), client.get("/").read().trailers());
        }
    }

    @Test
    void what_a_407_asks_for_reaches_the_client() throws Exception {
        try (var backend = RawBackend.answering("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0"
                        + "\r\nProxy-Authenticate: Basic\r\n\r\n");
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals("Basic", client.get("/").read().header("Proxy-Authenticate"));
        }
    }

    // Whom we serve.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Forwarded-For",
                "x-forwarded-for",
                "X-Forwarded-Proto",
                "X-Forwarded-Host",
                "X-Forwarded-Port",
                "X-Forwarded-Prefix",
                "X-Forwarded-Ssl",
                "X_Forwarded_For",
                "X-Forwarded_Host",
                "Forwarded",
                "X-Real-IP",
                "X_Real_IP"
            })
    void a_stranger_says_nothing_of_whom_it_serves(String name) throws Exception {
        var head = passed(name + ": 6.6.6.6\r\n" + name + ": 7.7.7.7\r\n");
        assertTrue(head.stream().noneMatch(line -> line.contains(".6.6.6") || line.contains(".7.7.7")), head::toString);
        assertEquals(List.of("127.0.0.1"), all(head, "X-Forwarded-For"));
        assertEquals(List.of("http"), all(head, "X-Forwarded-Proto"));
        assertEquals(List.of("a.test"), all(head, "X-Forwarded-Host"));
    }

    @Test
    void what_a_trusted_proxy_says_is_added_to_in_one_line() throws Exception {
        var head = passed(
                rules -> rules.trusted(LOOPBACK),
                "GET / HTTP/1.1\r\nHost: inner\r\nX-Forwarded-For: 6.6.6.6, 7.7.7.7\r\nX-Forwarded-For: 8.8.8.8"
                        + "\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: outer\r\nForwarded: for=6.6.6.6\r\n\r\n");
        assertEquals(List.of("6.6.6.6, 7.7.7.7, 8.8.8.8, 127.0.0.1"), all(head, "X-Forwarded-For"));
        assertEquals(List.of("https"), all(head, "X-Forwarded-Proto"));
        assertEquals(List.of("outer"), all(head, "X-Forwarded-Host"));
        assertEquals(List.of(), all(head, "Forwarded"), "which would end before this proxy");
    }

    @Test
    void the_same_holds_for_forwarded_where_it_is_told() throws Exception {
        var head = passed(
                rules -> rules.trusted(LOOPBACK).forwardedHeaders(Set.of(Fields.FORWARDED)),
                "GET / HTTP/1.1\r\nHost: inner\r\nForwarded: for=6.6.6.6\r\nForwarded: for=7.7.7.7"
                        + "\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n");
        assertEquals(
                List.of("for=6.6.6.6, for=7.7.7.7, for=127.0.0.1;host=\"inner\";proto=http"), all(head, "Forwarded"));
        assertEquals(List.of(), all(head, "X-Forwarded-For"));
    }

    @Test
    void a_stranger_says_nothing_in_forwarded_either() throws Exception {
        var head = passed(
                rules -> rules.forwardedHeaders(Set.of(Fields.values())),
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: Forwarded\r\nForwarded: for=6.6.6.6\r\n\r\n");
        assertEquals(List.of("for=127.0.0.1;host=\"a\";proto=http"), all(head, "Forwarded"));
        assertEquals(List.of("127.0.0.1"), all(head, "X-Forwarded-For"));
    }

    @Test
    void fields_behind_a_body_are_nobodys_word_for_whom_it_serves() throws Exception {
        try (var backend = new RecordingBackend();
                var proxy = Proxying.Kind.NIO_SAME.to(
                        upstream -> upstream.forwarding(Forwarding.standard().trusted(LOOPBACK)), backend.uri());
                var client = proxy.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0"
                    + "\r\nX-Forwarded-For: 6.6.6.6\r\nX-Sum: 42\r\n\r\n");
            assertEquals(200, client.read().status());
            assertEquals(List.of("X-Sum: 42"), backend.taken().getFirst().trailers());
        }
    }

    @Test
    void what_a_trusted_proxy_does_not_say_or_nominates_is_said_by_this_one() throws Exception {
        var head = passed(
                rules -> rules.trusted(LOOPBACK),
                "GET / HTTP/1.1\r\nHost: a.test\r\nX-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https"
                        + "\r\nConnection: X-Forwarded-For, X-Forwarded-Proto\r\n\r\n");
        assertEquals(List.of("127.0.0.1"), all(head, "X-Forwarded-For"));
        assertEquals(List.of("http"), all(head, "X-Forwarded-Proto"));
        assertEquals(List.of("a.test"), all(head, "X-Forwarded-Host"));
    }

    @Test
    void a_silent_proxy_says_nothing_and_passes_on_what_others_say() throws Exception {
        var head = passed(
                Forwarding::forwardedHeadersAsReceived,
                "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n");
        assertEquals(List.of("6.6.6.6"), all(head, "X-Forwarded-For"));
        assertEquals(List.of(), all(head, "X-Forwarded-Proto"));
    }

    @Test
    void each_proxy_adds_itself_to_via() throws Exception {
        var head = passed(rules -> rules.via("mine"), "GET / HTTP/1.1\r\nHost: a\r\nVia: 1.0 before\r\n\r\n");
        assertEquals(List.of("1.0 before", "1.1 mine"), all(head, "Via"));
        var old = passed(rules -> rules, "GET / HTTP/1.0\r\nHost: a\r\n\r\n");
        assertEquals(List.of("1.0 millrace"), all(old, "Via"));
    }

    @Test
    void responses_have_via_too() throws Exception {
        try (var backend = RawBackend.answering(OK.replace("\r\n\r\n", "\r\nVia: 1.1 behind\r\n\r\n"));
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            assertEquals("1.1 behind, 1.1 millrace", client.get("/").read().header("Via"));
        }
    }

    // Host and target.

    @Test
    void the_backend_sees_the_clients_host_or_its_own() throws Exception {
        var request = "GET / HTTP/1.1\r\nHost: a.test:8080\r\n\r\n";
        assertEquals(List.of("a.test:8080"), all(passed(rules -> rules, request), "Host"));
        var own = passedOn(upstream -> upstream.host(HostPolicy.BACKEND), request);
        assertTrue(all(own, "Host").getFirst().startsWith("127.0.0.1:"), own::toString);
        assertEquals(List.of("a.test:8080"), all(own, "X-Forwarded-Host"));
    }

    @Test
    void an_absolute_target_passes_as_a_path_and_a_host() throws Exception {
        // The same host, however it is written.
        for (var host : List.of("a.test", "A.TEST:80")) {
            var head = passed(
                    rules -> rules, "GET http://a.test/a//./b/../%63?d=%2f HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
            assertEquals("GET /a/c?d=%2f HTTP/1.1", head.getFirst());
            assertEquals(List.of(host), all(head, "Host"));
        }
        var old = passed(rules -> rules, "GET http://a.test HTTP/1.0\r\n\r\n");
        assertEquals("GET / HTTP/1.1", old.getFirst());
        assertEquals(List.of("a.test"), all(old, "Host"));
    }

    @Test
    void a_peer_of_http_1_0_that_names_no_host_gets_the_backends() throws Exception {
        var head = passed(rules -> rules, "GET / HTTP/1.0\r\n\r\n");
        assertTrue(all(head, "Host").getFirst().startsWith("127.0.0.1:"), head::toString);
        assertEquals(List.of(), all(head, "X-Forwarded-Host"), "nobody has asked for one");
    }

    @Test
    void an_expectation_of_http_1_0_means_nothing() throws Exception {
        var head = passed(rules -> rules, "GET / HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi");
        assertEquals(List.of(), all(head, "Expect"));
    }

    @Test
    void options_of_the_server_as_a_whole_pass() throws Exception {
        assertEquals(
                "OPTIONS * HTTP/1.1",
                passed(rules -> rules, "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").getFirst());
    }

    @Test
    void bytes_above_ascii_pass_as_they_came_both_ways() throws Exception {
        var value = "\u00e4\u0080\u00ff";
        try (var backend = RawBackend.answering(OK.replace("\r\n\r\n", "\r\nX-Back: " + value + "\r\n\r\n"));
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            var reply = client.send("GET / HTTP/1.1\r\nHost: a\r\nX-There: " + value + "\r\n\r\n")
                    .read();
            assertEquals(List.of(value), all(backend.nextHead(), "X-There"));
            assertEquals(value, reply.header("X-Back"));
        }
    }

    // How far.

    @ParameterizedTest
    @ValueSource(strings = {"OPTIONS", "TRACE"})
    void one_that_may_not_go_further_is_answered_here(String method) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.send(method + " / HTTP/1.1\r\nHost: a\r\nCookie: secret\r\nMax-Forwards: 0\r\n\r\n");
            var reply = client.read();
            assertEquals(method.equals("TRACE") ? 501 : 204, reply.status());
            assertFalse(reply.toString().contains("secret") || reply.text().contains("secret"));
            assertEquals(200, client.get("/").read().status());
            assertEquals("GET / HTTP/1.1", backend.nextHead().getFirst());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"OPTIONS 1 0", "TRACE 10 9", "TRACE 00 ", "OPTIONS 99999999999999999999 999999998", "GET 0 0"})
    void what_is_left_of_the_way_is_counted(String words) throws Exception {
        var word = words.split(" ", -1);
        var request = word[0] + " / HTTP/1.1\r\nHost: a\r\nMax-Forwards: " + word[1] + "\r\n\r\n";
        if (word[2].isEmpty()) {
            assertEquals(501, refusal(request));
            return;
        }
        assertEquals(List.of(word[2]), all(passed(rules -> rules, request), "Max-Forwards"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Max-Forwards: -1\r\n",
                "Max-Forwards: \r\n",
                "Max-Forwards: 1, 1\r\n",
                "Max-Forwards: 1\r\nMax-Forwards: 0\r\n"
            })
    void a_way_of_no_length_is_refused(String field) throws Exception {
        assertEquals(400, refusal("OPTIONS / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n"));
    }

    private static int refusal(String request) throws IOException {
        try (var backend = RawBackend.answering(OK);
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            int status = client.send(request).read().status();
            assertEquals(0, backend.connections());
            return status;
        }
    }

    // What is more than a request.

    @Test
    void connect_is_refused() throws Exception {
        assertEquals(501, refusal("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\nsecret"));
    }

    @Test
    void bytes_behind_a_connect_are_no_request() throws Exception {
        try (var backend = new RecordingBackend();
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.send(
                    "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\nGET /hidden HTTP/1.1\r\nHost: a\r\n\r\n");
            assertEquals(501, client.read().status());
            client.assertEnd();
            assertEquals(List.of(), backend.taken());
        }
    }

    @Test
    void bytes_behind_an_upgrade_do_not_pass_before_the_backend_agrees() throws Exception {
        var behind = new LinkedBlockingQueue<String>();
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
                    behind.add(new String(visit.in.readAllBytes(), StandardCharsets.ISO_8859_1));
                });
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.send("GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket"
                    + "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
                    + "\r\n\r\n\u0081\u0005hello");
            assertEquals(403, client.read().status());
            assertEquals("", behind.poll(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void bytes_behind_an_upgrade_that_did_not_happen_are_another_request_or_none() throws Exception {
        var upgrade = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
        try (var backend = new RecordingBackend();
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.send(upgrade + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
            assertEquals(200, client.read().status());
            assertEquals(505, client.read().status());
            assertEquals("[GET /chat]", backend.taken().toString());
            assertEquals(List.of(), backend.ambiguous());
        }
    }
}
