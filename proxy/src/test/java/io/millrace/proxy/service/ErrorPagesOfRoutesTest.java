package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.RawBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `error-pages` of listeners and routes in the file.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ErrorPagesOfRoutesTest {
    private static final String ERROR = "HTTP/1.1 500 Oh\r\nContent-Type: text/plain\r\nX-A: b\r\nETag: \"a\"\r\n";

    @TempDir
    Path folder;

    @BeforeEach
    void there_are_pages() throws IOException {
        for (var name : List.of("4xx.html", "404.html", "5xx.html", "own.html"))
            Files.writeString(folder.resolve(name), "page " + name);
    }

    private String text(RawBackend backend) {
        return """
                listeners:
                  web:
                    address: "127.0.0.1:0"
                    error-pages:
                      folder: %1$s
                      pages:
                        - {statuses: [404], path: /404.html}
                        - {class: 4xx, path: /4xx.html}
                        - {class: 5xx, path: /5xx.html}
                routes:
                  nothing: {match: {path: /nothing}, upstream: down}
                  plain: {match: {prefix: /plain}, upstream: app}
                  words: {match: {path: /words}, respond: {status: 404, body: words}}
                  empty: {match: {path: /empty}, respond: {status: 410}, response-headers: {set: {X-S: s}, statuses: [error]}}
                  closed: {match: {path: /closed}, upstream: app, access: {allow: [10.0.0.1]}}
                  caught:
                    match: {prefix: /caught}
                    upstream: app
                    error-pages:
                      folder: %1$s
                      pages: [{class: 5xx, path: /own.html}]
                      intercept-errors: true
                upstreams:
                  app: {endpoints: ["127.0.0.1:%2$d"]}
                  down: {endpoints: ["127.0.0.1:1"], retries: {attempts: 1}}
                runtime: {loops: 1}
                """.formatted(folder, backend.port());
    }

    private static RawBackend backend() throws IOException {
        return RawBackend.answering(ERROR + "Content-Length: 5\r\n\r\nerror");
    }

    @ParameterizedTest
    @CsvSource({
        "/unknown, 404, page 404.html",
        "/nothing, 503, page 5xx.html",
        "/closed, 403, page 4xx.html",
        "/empty, 410, page 4xx.html",
        "/words, 404, words",
        "/plain, 500, error",
        "/caught, 500, page own.html",
        "/a%zz, 400, page 4xx.html"
    })
    void an_error_has_its_page(String path, int status, String text) throws Exception {
        try (var backend = backend();
                var proxy = Serving.of(text(backend));
                var client = proxy.connect()) {
            var reply = client.get(path).read();
            assertEquals(status + " " + text, reply.status() + " " + reply.text());
            assertEquals(path.equals("/empty") ? "s" : "", reply.header("X-S"));
        }
    }

    @Test
    void an_intercepted_error_keeps_its_status_and_fields_but_those_of_its_content() throws Exception {
        try (var backend = backend();
                var proxy = Serving.of(text(backend));
                var client = proxy.connect()) {
            var reply = client.get("/caught").read();
            assertEquals("b", reply.header("X-A"));
            assertEquals("text/html; charset=utf-8", reply.header("Content-Type"));
            assertEquals("", reply.header("ETag"));
            assertEquals("13", reply.header("Content-Length"));
        }
    }

    @Test
    void the_response_to_head_is_that_of_the_page() throws Exception {
        try (var backend = RawBackend.answering(ERROR + "Content-Length: 5\r\n\r\n");
                var proxy = Serving.of(text(backend));
                var client = proxy.connect()) {
            var head = client.send("HEAD /caught HTTP/1.1\r\nHost: a\r\n\r\n").readHead();
            assertEquals("500 13", head.status() + " " + head.header("Content-Length"));
            client.send("HEAD /caught HTTP/1.1\r\nHost: a\r\n\r\n").readHead();
            assertEquals(1, backend.connections());
        }
    }

    @Test
    void a_short_body_that_was_replaced_costs_no_connection() throws Exception {
        try (var backend = backend();
                var proxy = Serving.of(text(backend));
                var client = proxy.connect()) {
            for (int i = 0; i < 5; i++)
                assertEquals("page own.html", client.get("/caught").read().text());
            // The last body may still be on its way when the next request begins.
            assertTrue(backend.connections() <= 2, backend.connections() + " connections");
        }
    }

    @Test
    void a_body_that_never_ends_is_replaced_too() throws Exception {
        try (var backend = new RawBackend(visit -> {
                    visit.head();
                    visit.send(ERROR + "Transfer-Encoding: chunked\r\n\r\n");
                    while (true) visit.send("400\r\n" + "x".repeat(1024) + "\r\n");
                });
                var proxy = Serving.of(text(backend));
                var client = proxy.connect()) {
            assertEquals("page own.html", client.get("/caught").read().text());
            assertEquals("page own.html", client.get("/caught").read().text());
        }
    }

    @Test
    void a_replaced_error_counts_against_its_backend_whatever_its_length() throws Exception {
        for (var length : new int[] {5, 1_000_000}) {
            try (var backend = RawBackend.answering(
                            ERROR + "Content-Length: " + length + "\r\n\r\n" + "x".repeat(length));
                    var proxy = Serving.of(text(backend)
                            .replace(
                                    "app: {endpoints: [\"127.0.0.1:" + backend.port() + "\"]",
                                    "app: {endpoints: [\"127.0.0.1:" + backend.port()
                                            + "\"], health: {panic-threshold: 0,"
                                            + " ejection-failures: 1, max-ejected: 100, ejection-statuses: [500]}"));
                    var client = proxy.connect()) {
                assertEquals(500, client.get("/caught").read().status());
                int status = 500;
                while (status == 500) status = client.get("/caught").read().status();
                assertEquals(503, status);
            }
        }
    }

    @Test
    void a_page_that_changes_is_used_after_a_reload_and_one_that_is_gone_is_plain() throws Exception {
        try (var backend = backend();
                var proxy = Serving.of(text(backend));
                var client = proxy.connect()) {
            var before = Serving.configuration(text(backend));
            assertEquals(before, Serving.configuration(text(backend)));
            assertTrue(before.files().contains(folder.resolve("404.html")), before.files()::toString);
            Files.writeString(folder.resolve("404.html"), "new");
            var after = Serving.configuration(text(backend));
            assertNotEquals(before, after);
            assertTrue(proxy.service().reload(after).contains("changed listener web"));
            assertEquals("new", client.get("/unknown").read().text());
            Files.delete(folder.resolve("404.html"));
            var _ = proxy.service().reload(Serving.configuration(text(backend)));
            assertEquals("Not Found", client.get("/unknown").read().text().strip());
        }
    }

    @Test
    void a_page_is_compressed_like_other_responses_and_logged_with_its_status() throws Exception {
        var log = folder.resolve("access.log");
        Files.writeString(folder.resolve("own.html"), "page ".repeat(1000));
        try (var backend = backend()) {
            var text = text(backend).replace("prefix: /caught}", "prefix: /caught}\n    compression: gzip")
                    + "access-log: {format: json, file: " + log + "}\n";
            try (var proxy = Serving.of(text);
                    var client = proxy.connect()) {
                var reply = client.send("GET /caught HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
                        .read();
                assertEquals("500 gzip", reply.status() + " " + reply.header("Content-Encoding"));
            }
            var line = Files.readString(log);
            assertTrue(line.contains("\"status\":500,\"complete\":true"), line);
        }
    }
}
