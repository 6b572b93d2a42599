package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.http.file.Pulled;
import io.millrace.http.message.FieldChanges;
import io.millrace.http.message.RewrittenRequest;
import io.millrace.http.server.StaticFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// [StaticFiles#tryFiles] and [StaticFiles#index]. Each file contains its name.
class TryFilesTest {
    @TempDir
    Path directory;

    Path root;

    @BeforeEach
    void there_are_files() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        Files.createDirectories(root.resolve("docs"));
        Files.createDirectories(root.resolve("empty"));
        for (var name : List.of("index.html", "about.html", "app.js", "docs/main.htm", "docs/default.txt", ".hidden"))
            Files.writeString(root.resolve(name), name);
    }

    @AfterEach
    void every_file_is_closed() throws IOException {
        assertEquals(List.of(), Pulled.openBelow(directory));
    }

    private Pulled get(String target, String... inTurn) throws Exception {
        return Pulled.of(StaticFiles.of(root).tryFiles(List.of(inTurn)).handle(Request.get(target)));
    }

    @ParameterizedTest
    @CsvSource({
        "/app.js, app.js",
        "/about, about.html",
        "/rooms/7, index.html",
        "/rooms/7/, index.html",
        "/missing.js, index.html",
        "/empty/, index.html",
        "/about/, index.html",
        "/, index.html"
    })
    void the_first_that_is_there_is_served(String target, String name) throws Exception {
        var got = get(target, "{path}.html", "/index.html");
        assertEquals("200 " + name, got.status() + " " + got.text());
    }

    @Test
    void a_fallback_has_the_media_type_of_its_own_name_and_is_conditional() throws Exception {
        var got = get("/missing.js", "/index.html");
        assertEquals("text/html; charset=utf-8", got.field("Content-Type"));
        var files = StaticFiles.of(root).tryFiles(List.of("/index.html"));
        var again = Request.get("/missing.js").addHeader("If-None-Match", "*");
        assertEquals(304, Pulled.of(files.handle(again)).status());
    }

    @Test
    void a_status_is_the_answer_when_nothing_is_there() throws Exception {
        assertEquals(404, get("/missing").status());
        assertEquals(404, get("/missing", "/nothing.html").status());
        assertEquals(410, get("/missing", "/nothing.html", "=410").status());
        assertEquals("about.html", get("/about", "{path}.html", "=410").text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/.hidden", "/.git/config", "/a%2Fb", "/%2e%2e/secret", "/a%00", "//", "/a//b"})
    void names_that_are_never_served_get_no_fallback(String target) throws Exception {
        // A path that no parser has looked at.
        var request = new RewrittenRequest(Request.get("/"), target, FieldChanges.NONE);
        var files = StaticFiles.of(root).tryFiles(List.of("/index.html"));
        assertEquals(404, Pulled.of(files.handle(request)).status());
    }

    @Test
    void a_fallback_that_lies_elsewhere_is_none() throws Exception {
        Files.writeString(directory.resolve("secret"), "secret");
        Files.createSymbolicLink(root.resolve("link.html"), Path.of("../secret"));
        assertEquals(404, get("/missing", "/link.html").status());
        assertEquals(404, get("/link", "{path}.html").status());
    }

    @Test
    void a_directory_is_the_first_index_that_it_has() throws Exception {
        var files = StaticFiles.of(root).index(List.of("nothing.html", "main.htm", "default.txt"));
        assertEquals(
                "docs/main.htm", Pulled.of(files.handle(Request.get("/docs/"))).text());
        assertEquals("/docs/", Pulled.of(files.handle(Request.get("/docs"))).field("Location"));
        assertEquals(404, Pulled.of(files.handle(Request.get("/"))).status());
        assertEquals(
                404,
                Pulled.of(StaticFiles.of(root).index(List.of()).handle(Request.get("/")))
                        .status());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "index.html",
                "{path}",
                "{path}/a",
                "/..",
                "/../secret",
                "/a/../b",
                "/.hidden",
                "/a/",
                "/a%2fb",
                "=200",
                "=4044",
                "{other}"
            })
    void what_leads_nowhere_is_refused(String text) {
        var files = StaticFiles.of(root);
        assertThrows(IllegalArgumentException.class, () -> files.tryFiles(List.of(text)), text);
    }

    @Test
    void a_status_is_the_last() {
        var files = StaticFiles.of(root);
        var refused =
                assertThrows(IllegalArgumentException.class, () -> files.tryFiles(List.of("=404", "/index.html")));
        Asking.assertSays("put the status last", refused);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", ".hidden", "a/b", "a\\b", "a\nb"})
    void an_index_is_a_name_that_may_be_served(String name) {
        var files = StaticFiles.of(root);
        assertThrows(IllegalArgumentException.class, () -> files.index(List.of(name)));
    }

    @Test
    void there_are_not_more_than_16_names() {
        var files = StaticFiles.of(root);
        var many = Stream.generate(() -> "/index.html").limit(17).toList();
        assertThrows(IllegalArgumentException.class, () -> files.tryFiles(many));
        assertThrows(IllegalArgumentException.class, () -> files.index(many));
    }

    @Test
    void two_with_the_same_settings_are_equal() {
        var files = StaticFiles.of(root).under("/a").listing(true).tryFiles(List.of("=404"));
        var same = StaticFiles.of(root).under("/a/").listing(true).tryFiles(List.of("=404"));
        assertEquals(files, same);
        assertEquals(files.hashCode(), same.hashCode());
        assertNotEquals(files, files.index(List.of("a")));
        assertNotEquals(files, files.precompressed(List.of("br")));
    }
}
