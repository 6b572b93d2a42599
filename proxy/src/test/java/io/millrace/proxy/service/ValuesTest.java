package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.re2j.Pattern;
import io.millrace.http.filter.RequestTemplate;
import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient.Reply;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Values of requests in every place that a file can put them: none gets out of its place.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ValuesTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    /// As `\xHH` in a log.
    private static final String ESCAPED = "(?:[^\"\\\\\\x00-\\x1f\\x7f]|\\\\x[0-9a-f]{2})*";

    @TempDir
    Path folder;

    private Path log() {
        return folder.resolve("access.log");
    }

    private Serving serving(RawBackend backend, String accessLog) throws IOException {
        return Serving.of("""
                listeners: {web: {address: "127.0.0.1:0"}}
                routes:
                  forward:
                    upstream: app
                    request-headers:
                      set:
                        X-Plain: "{header:X-V}"
                        X-Quoted: 'v="{header:X-V}";end'
                        X-Ours: host={host}
                    response-headers:
                      set: {X-Back: "<{header:X-V}>"}
                  moved:
                    match: {prefix: /moved}
                    redirect: {to: "/to/{header:X-V}?v={header:X-V}"}
                  host:
                    match: {prefix: /host}
                    redirect: {to: "https://{host}{path}{query}"}
                  quiet:
                    match: {path: /quiet}
                    respond: {}
                    access-log: false
                upstreams: {app: {endpoints: ["BACKEND"]}}
                access-log: {LOG, file: "FILE"}
                runtime: {loops: 1}
                """.replace("BACKEND", backend.uri().substring("http://".length()))
                .replace("LOG", accessLog)
                .replace("FILE", log().toString()));
    }

    private static Reply ask(Serving serving, String target, String value) throws IOException {
        try (var client = serving.connect()) {
            return client.send("GET " + target + " HTTP/1.1\r\nHost: a.org:81\r\nX-V: " + value + "\r\n\r\n")
                    .read();
        }
    }

    static List<String> arriving() {
        return List.of(
                "plain",
                "\"",
                "\\",
                "\\\"",
                "a\"; b=\"c",
                "a\\",
                "a \"-\" 200",
                "\u00e4\u00ff\u0080",
                "\u00c3\u00a4",
                "a\tb",
                "a,b;c|d]e",
                "{client}",
                "${HOME}",
                "%0d%0aX: y",
                "&w=x#y?z",
                "//evil.example/..",
                "</script>",
                "x".repeat(4097),
                "\"".repeat(RequestTemplate.MOST_BYTES + 1));
    }

    @ParameterizedTest
    @MethodSource("arriving")
    void a_value_stays_in_its_field(String value) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(backend, "format: '{status}'")) {
            var reply = ask(serving, "/", value);
            assertEquals("hello", reply.text());
            var head = backend.nextHead();
            boolean isLong = value.length() > RequestTemplate.MOST_BYTES;
            assertEquals(
                    1,
                    head.stream()
                            .filter(line -> line.equals("X-Ours: host=a.org"))
                            .count());
            assertEquals(isLong ? 0 : 1, with(head, "X-Plain: ").size());
            for (var line : with(head, "X-Plain: ")) assertTrue(line.matches("[\\t -~]*"), line);
            for (var line : with(head, "X-Quoted: "))
                assertTrue(Pattern.matches("v=\"([^\"\\\\\\x7f-\\xff]|\\\\[\"\\\\])*\";end", line), line);
            assertTrue(reply.header("X-Back").matches(isLong ? "" : "<[\\t -~]*>"), () -> reply.header("X-Back"));
        }
    }

    private static List<String> with(List<String> head, String name) {
        return head.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("arriving")
    void a_value_stays_in_its_part_of_a_location(String value) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(backend, "format: '{status}'")) {
            var reply = ask(serving, "/moved", value);
            if (2 * value.length() > RequestTemplate.MOST_BYTES) {
                assertEquals(400, reply.status());
                return;
            }
            var location = URI.create(reply.header("Location"));
            assertEquals(null, location.getHost());
            assertTrue(location.getRawPath().matches("/to/[^/]+"), location::toString);
            assertTrue(location.getRawQuery().matches("v=[A-Za-z0-9._~%-]+"), location::toString);
            assertEquals(null, location.getRawFragment());
        }
    }

    @ParameterizedTest
    @MethodSource("arriving")
    void a_value_stays_in_its_place_in_a_line(String value) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(backend, "format: '\"{header:X-V}\" {header:X-V} |{header:X-V}| {status}'")) {
            assertEquals("hello", ask(serving, "/", value).text());
        }
        var lines = Files.readAllLines(log());
        assertEquals(1, lines.size());
        assertTrue(
                Pattern.matches(
                        "\"" + ESCAPED + "\" [^ \\x00-\\x1f\\x7f]+ \\|[^| \\x00-\\x1f\\x7f]+\\| 200", lines.getFirst()),
                lines::getFirst);
        assertTrue(lines.getFirst().length() < 3 * 4 * 4096 + 20, "it is bounded");
    }

    @ParameterizedTest
    @MethodSource("arriving")
    void a_value_stays_in_its_field_of_an_object(String value) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(
                        backend,
                        "format: json, fields: {'@v': '{header:X-V}', both: '<{header:X-V}>', status: '{status}',"
                                + " none: '{tls-subject}', up: '{upstream} {route}'}")) {
            assertEquals("hello", ask(serving, "/", value).text());
        }
        var lines = Files.readAllLines(log());
        assertEquals(1, lines.size());
        var read = new ObjectMapper().readValue(lines.getFirst(), Map.class);
        var cut = value.substring(0, Math.min(value.length(), 4096));
        var both = "<" + cut + ">";
        assertEquals(
                Map.of(
                        "@v",
                        cut,
                        "both",
                        both.substring(0, Math.min(both.length(), 4096)),
                        "status",
                        200,
                        "up",
                        "app forward"),
                read);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "a\u007fb"})
    void a_value_that_no_field_may_have_is_refused_before_it_is_anywhere(String value) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(backend, "format: '{client} {header:X-V} {status} {host}'")) {
            assertEquals(400, ask(serving, "/", value).status());
        }
        assertEquals(List.of("127.0.0.1 - 400 -"), Files.readAllLines(log()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nb", "a\nb c", "\0", "\" 200 \"", "\u20ac\ud83d\ude00"})
    void a_user_is_one_word_whatever_the_password_field_has(String user) throws Exception {
        var encoded = Base64.getEncoder().encodeToString((user + ":x").getBytes(StandardCharsets.UTF_8));
        try (var backend = RawBackend.answering(OK);
                var serving = serving(backend, "format: '{user} {status}'")) {
            assertEquals(
                    "hello",
                    ask(serving, "/", "x\r\nAuthorization: Basic " + encoded).text());
        }
        var lines = Files.readAllLines(log());
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().matches("[!-~]+ 200"), lines::toString);
    }

    // Hosts.

    @ParameterizedTest
    @ValueSource(strings = {"a;b", "a,b", "x'y", "!", "%C3%A4", "a=b"})
    void a_redirect_leads_to_no_host_that_is_none(String host) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(backend, "format: '{status} {host} {header:Host}'");
                var client = serving.connect()) {
            assertEquals(
                    400,
                    client.send("GET /host HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                            .read()
                            .status());
        }
    }

    @Test
    void a_redirect_leads_to_the_clients_host_whatever_the_path() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(backend, "format: '{status}'")) {
            var reply = ask(serving, "/host//evil.example/%2e%2e/@b?c=d&//e", "x");
            assertEquals("https://a.org/host/@b?c=d&//e", reply.header("Location"));
        }
    }

    @Test
    void a_client_of_http_1_0_without_a_host_gets_no_redirect_to_it() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(backend, "format: '{status} {host} {port}'")) {
            try (var client = serving.connect()) {
                assertEquals(
                        400, client.send("GET /host HTTP/1.0\r\n\r\n").read().status());
            }
        }
        assertEquals(List.of("400 - 80"), Files.readAllLines(log()));
    }

    // Logs.

    @Test
    void a_line_has_what_its_format_names() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(
                        backend,
                        "format: '{method} {path}{query} {protocol} {status} {response-bytes} {route} {upstream}"
                                + " {backend} {attempts} {request-id} {failure}'")) {
            assertEquals("hello", ask(serving, "/a?b=c", "x").text());
            assertEquals(302, ask(serving, "/moved", "x").status());
            assertEquals(
                    List.of(
                            "GET /a?b=c HTTP/1.1 200 5 forward app "
                                    + backend.uri().substring(7) + " 1 - -",
                            "GET /moved- HTTP/1.1 302 0 moved - - - - -"),
                    after(serving));
        }
    }

    private List<String> after(Serving serving) throws IOException {
        serving.close();
        return Files.readAllLines(log());
    }

    @Test
    void times_are_seconds_and_in_json_numbers() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(
                        backend,
                        "format: json, fields: {s: '{seconds}', u: '{upstream-seconds}', f: '{first-byte-seconds}',"
                                + " t: '{time}', l: '{local-time}'}")) {
            assertEquals("hello", ask(serving, "/", "x").text());
            var read = new ObjectMapper().readTree(after(serving).getFirst());
            for (var name : List.of("s", "u", "f")) assertTrue(read.get(name).isNumber(), read::toString);
            assertTrue(read.get("t").asText().matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z"));
            assertTrue(read.get("l").asText().matches("\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d [+-]\\d{4}"));
        }
    }

    @Test
    void the_requests_of_a_route_may_be_in_no_log() throws Exception {
        try (var backend = RawBackend.answering(OK);
                var serving = serving(backend, "format: '{path} {route}'")) {
            assertEquals(200, ask(serving, "/quiet", "x").status());
            assertEquals(200, ask(serving, "/loud", "x").status());
            assertEquals(List.of("/loud forward"), after(serving));
        }
    }

    @Test
    void a_reload_with_the_same_format_keeps_the_log_and_another_begins() throws Exception {
        var text = "listeners: {web: {address: '127.0.0.1:0'}}\nroutes: {all: {respond: {}}}\nruntime: {loops: 1}\n";
        var one = "access-log: {format: '{path} one', file: '" + folder.resolve("one") + "'}\n";
        var two = "access-log: {format: '{path} two', file: '" + folder.resolve("one") + "'}\n";
        assertEquals(Serving.configuration(text + one), Serving.configuration(text + one));
        try (var serving = Serving.of(text + one)) {
            assertEquals(200, ask(serving, "/a", "x").status());
            assertEquals("nothing has changed", serving.service().reload(Serving.configuration(text + one)));
            assertEquals("changed access-log", serving.service().reload(Serving.configuration(text + two)));
            assertEquals(200, ask(serving, "/b", "x").status());
        }
        assertEquals(List.of("/a one", "/b two"), Files.readAllLines(folder.resolve("one")));
    }
}
