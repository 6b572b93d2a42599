package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Response;
import io.millrace.http.filter.AccessLog;
import io.millrace.http.filter.Networks;
import io.millrace.http.filter.RealIp;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Lines about requests from real sockets.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AccessLogTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    @TempDir
    Path folder;

    private List<String> lines(AccessLog.Format format, Networks trusted, String... requests) throws Exception {
        var file = folder.resolve("access.log");
        try (var backend = RawBackend.answering(OK);
                var log = AccessLog.open(format, Optional.of(file), ProxyInfo.LOG_FIELDS)) {
            try (var proxy =
                    Proxying.Kind.NIO_SAME.serve(Upstream.of(backend.uri()), log, RealIp.from(trusted)::around)) {
                for (var request : requests) {
                    try (var client = proxy.connect()) {
                        client.send(request).read();
                    }
                }
            }
        }
        return Files.readAllLines(file);
    }

    @Test
    void a_combined_line_says_what_those_of_others_say() throws Exception {
        var fields = List.of("Referer: http://b/", "User-Agent: me 1.0", "Authorization: Basic YWRhOnNlY3JldA==");
        var lines = lines(
                AccessLog.Format.COMBINED,
                Networks.NONE,
                "GET /a/b?c=d HTTP/1.1\r\nHost: a\r\n" + String.join("\r\n", fields) + "\r\n\r\n");
        assertEquals(1, lines.size(), lines::toString);
        var form = "127\\.0\\.0\\.1 - ada \\[\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d [+-]\\d{4}\\] "
                + "\"GET /a/b\\?c=d HTTP/1\\.1\" 200 5 \"http://b/\" \"me 1\\.0\"";
        assertTrue(lines.getFirst().matches(form), lines::toString);
    }

    @Test
    void a_line_of_json_says_how_the_request_was_passed_on() throws Exception {
        var line = lines(AccessLog.Format.JSON, Networks.NONE, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                .getFirst();
        assertTrue(line.startsWith("{\"time\":\"") && line.endsWith("}"), line);
        var parts = List.of(
                "\"client\":\"127.0.0.1\"",
                "\"method\":\"GET\",\"host\":\"a\",\"path\":\"/a\"",
                "\"status\":200,\"complete\":true,\"request_bytes\":0,\"response_bytes\":5",
                "\"upstream\":\"upstream\",\"backend\":\"127.0.0.1:",
                "\"attempts\":1");
        for (var part : parts) assertTrue(line.contains(part), () -> part + " in " + line);
    }

    @Test
    void no_field_can_end_its_place_nor_the_line() throws Exception {
        var hostile = "GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: \" 200 \\ \t\u00e4\"\r\n\r\n";
        var combined = lines(AccessLog.Format.COMBINED, Networks.NONE, hostile).getFirst();
        assertTrue(combined.endsWith(" \"-\" \"\\x22 200 \\x5c \\x09\\xe4\\x22\""), combined);
    }

    @Test
    void a_name_of_a_user_is_one_word() throws Exception {
        // "a b] \"\n":x
        var line = lines(
                        AccessLog.Format.COMBINED,
                        Networks.NONE,
                        "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic YSBiXSAiCjp4\r\n\r\n")
                .getFirst();
        assertTrue(line.startsWith("127.0.0.1 - a\\x20b]\\x20\\x22\\x0a ["), line);
    }

    @Test
    void what_is_no_request_is_a_line_too() throws Exception {
        var bad = "GET /\u0001\"x HTTP/1.1\r\nHost: a\r\n\r\n";
        var combined = lines(AccessLog.Format.COMBINED, Networks.NONE, bad).getFirst();
        assertTrue(combined.contains("\"GET /\\x01\\x22x HTTP/1.1\" 400 "), combined);
        Files.delete(folder.resolve("access.log"));
        var json = lines(AccessLog.Format.JSON, Networks.NONE, bad).getFirst();
        assertTrue(json.contains("\"refused\":\"GET /\\u0001\\\"x HTTP/1.1\""), json);
        assertTrue(json.contains("\"failure\":\""), json);
    }

    @Test
    void proxies_that_are_trusted_say_whom_they_serve() throws Exception {
        var request = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6, 192.0.2.7, 10.1.2.3\r\n\r\n";
        var trusted = Networks.of("127.0.0.0/8", "10.0.0.0/8");
        var line = lines(AccessLog.Format.COMBINED, trusted, request).getFirst();
        assertTrue(line.startsWith("192.0.2.7 - "), line);
    }

    @Test
    void after_a_rotation_lines_go_to_a_new_file() throws Exception {
        var file = folder.resolve("access.log");
        var old = folder.resolve("access.log.1");
        try (var backend = RawBackend.answering(OK);
                var log = AccessLog.open(AccessLog.Format.COMBINED, Optional.of(file))) {
            try (var proxy = Proxying.Kind.NIO_SAME.serve(Upstream.of(backend.uri()), log, _ -> _ -> Response.ok("a"));
                    var client = proxy.connect()) {
                client.get("/1").read();
                // Its exchange is over, and told, before the next is looked at.
                client.get("/2").read();
                Files.move(file, old);
                log.reopen();
                client.get("/3").read();
                client.get("/4").read();
            }
        }
        var all = new ArrayList<>(Files.readAllLines(old));
        int before = all.size();
        all.addAll(Files.readAllLines(file));
        assertEquals(4, all.size(), all::toString);
        assertTrue(before >= 1 && before <= 2, all::toString);
        for (int i = 0; i < 4; i++) assertTrue(all.get(i).contains("GET /" + (i + 1) + " "), all::toString);
    }

    @Test
    void a_file_that_cannot_be_opened_is_refused_with_the_remedy() {
        var file = folder.resolve("none").resolve("access.log");
        var refusal = assertThrows(
                UncheckedIOException.class, () -> AccessLog.open(AccessLog.Format.JSON, Optional.of(file)));
        assertTrue(refusal.toString().contains("make its folder"), refusal::toString);
    }
}
