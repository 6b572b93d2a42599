package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import org.junit.jupiter.params.provider.ValueSource;

/// `files` of a route in the file. Each file contains its name.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileRoutesTest {
    @TempDir
    Path folder;

    @BeforeEach
    void there_are_files() throws IOException {
        Files.createDirectories(folder.resolve("site/docs"));
        Files.createDirectories(folder.resolve("site/many"));
        for (var name : List.of(
                "secret", "site/index.html", "site/about.html", "site/app.js", "site/app.js.br", "site/docs/home.htm"))
            Files.writeString(folder.resolve(name), name);
        for (var name : List.of("a\"b", "line\r\nfeed", "<i>"))
            Files.writeString(folder.resolve("site/many/" + name), name);
        Files.createSymbolicLink(folder.resolve("site/link"), Path.of("../secret"));
    }

    private Serving serving() throws IOException {
        return Serving.of("""
                listeners: {web: {address: "127.0.0.1:0", compression: {min-size: 0}}}
                routes:
                  app:
                    match: {prefix: /app}
                    expires: {text/html: 0s, "*/*": 1h}
                    files:
                      folder: %1$s
                      index: [home.htm, index.html]
                      try-files: ["{path}.html", /index.html]
                      precompressed: [br]
                  files:
                    match: {prefix: /files}
                    expires: {"*/*": 1h}
                    files: {folder: %1$s, index: [none], listing: true, try-files: ["=410"]}
                runtime: {loops: 1}
                """.formatted(folder.resolve("site")));
    }

    @ParameterizedTest
    @CsvSource({
        "/app/, 200, site/index.html",
        "/app/docs/, 200, site/docs/home.htm",
        "/app/about, 200, site/about.html",
        "/app/rooms/7, 200, site/index.html",
        "/app/link, 200, site/index.html",
        "/files/nothing, 410, Gone",
        "/files/link, 410, Gone",
        "/files/.hidden, 404, Not Found"
    })
    void a_path_leads_to_a_file_or_a_fallback(String path, int status, String text) throws Exception {
        try (var proxy = serving();
                var client = proxy.connect()) {
            var reply = client.get(path).read();
            assertEquals(
                    status + " " + text, reply.status() + " " + reply.text().strip());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/app/../secret",
                "/app/%2e%2e/secret",
                "/app/..%2fsecret",
                "/app/docs/..;/../../secret",
                "/app/..%5csecret",
                "/files/%2e%2e%2f%2e%2e%2fsecret",
                "/files/..%00/secret"
            })
    void no_path_leads_out_of_the_folder(String path) throws Exception {
        try (var proxy = serving();
                var client = proxy.connect()) {
            assertFalse(client.get(path).read().text().contains("secret"));
        }
    }

    @Test
    void a_compressed_file_takes_the_place_of_compression() throws Exception {
        try (var proxy = serving();
                var client = proxy.connect()) {
            var ask = "GET /app/app.js HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ";
            var coded = client.send(ask + "gzip, br\r\n\r\n").read();
            assertEquals("site/app.js.br", coded.text());
            assertEquals("br", coded.header("Content-Encoding"));
            assertEquals("Accept-Encoding", coded.header("Vary"));
            assertEquals("text/javascript; charset=utf-8", coded.header("Content-Type"));
            var packed = client.send(ask + "gzip\r\n\r\n").read();
            assertEquals("gzip", packed.header("Content-Encoding"));
            assertEquals("Accept-Encoding", packed.header("Vary"));
            var part = client.send(ask + "br\r\nRange: bytes=-2\r\n\r\n").read();
            assertEquals("206 br", part.status() + " " + part.text());
            var unchanged = client.send(ask + "br, gzip\r\nIf-None-Match: " + coded.header("ETag") + "\r\n\r\n")
                    .read();
            assertEquals(304, unchanged.status());
            assertEquals(coded.header("ETag"), unchanged.header("ETag"));
        }
    }

    @Test
    void times_are_those_of_the_media_type_and_no_errors() throws Exception {
        try (var proxy = serving();
                var client = proxy.connect()) {
            assertEquals("max-age=3600", client.get("/app/app.js").read().header("Cache-Control"));
            assertEquals("max-age=0", client.get("/app/rooms/7").read().header("Cache-Control"));
            assertEquals("", client.get("/files/nothing").read().header("Cache-Control"));
            assertEquals("", client.get("/files/many").read().header("Cache-Control"));
        }
    }

    @Test
    void a_listing_is_titled_and_escaped() throws Exception {
        try (var proxy = serving();
                var client = proxy.connect()) {
            var page = client.get("/files/many/").read().text();
            assertTrue(page.contains("<title>/files/many/</title>"), page);
            assertTrue(page.contains("<a href=\"a%22b\">a&quot;b</a><td align=\"right\">3<td>"), page);
            assertTrue(page.contains("&lt;i&gt;"), page);
            assertFalse(page.contains("feed"), page);
            assertEquals("/files/many/", client.get("/files/many").read().header("Location"));
        }
    }
}
