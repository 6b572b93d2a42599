package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.file.Pulled;
import io.millrace.http.message.FieldChanges;
import io.millrace.http.message.RewrittenRequest;
import io.millrace.http.server.StaticFiles;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// ```
///   secret.txt
///   root: a.txt   docs/index.html   empty/   .hidden   .git/config   .well-known/acme
/// ```
class StaticFilesTest {
    @TempDir
    Path directory;

    Path root;
    StaticFiles files;

    @BeforeEach
    void there_are_files() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        Files.createDirectory(root.resolve("empty"));
        write(directory, "secret.txt");
        for (var name : List.of("a.txt", "docs/index.html", ".hidden", ".git/config", ".well-known/acme")) {
            write(root, name);
        }
        files = StaticFiles.of(root);
    }

    @AfterEach
    void every_file_is_closed() throws IOException {
        assertEquals(List.of(), Pulled.openBelow(directory));
    }

    /// A file that contains its name.
    private static void write(Path directory, String name) throws IOException {
        var file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, name);
    }

    private Pulled get(String target) throws Exception {
        return get(files, target);
    }

    private static Pulled get(StaticFiles files, String target) throws Exception {
        return Pulled.of(files.handle(Request.get(target)));
    }

    /// Asks for a path that no parser has looked at.
    private Pulled getRaw(String path) throws Exception {
        return Pulled.of(files.handle(new RewrittenRequest(Request.get("/"), path, FieldChanges.NONE)));
    }

    // Files.

    @Test
    void a_file_below_the_root_is_sent() throws Exception {
        var got = get("/a.txt");
        assertEquals(200, got.status());
        assertEquals("a.txt", got.text());
        assertEquals("text/plain; charset=utf-8", got.field("Content-Type"));
        assertEquals("docs/index.html", get("/docs/index.html").text());
    }

    @Test
    void the_query_means_nothing() throws Exception {
        assertEquals("a.txt", get("/a.txt?v=../../secret.txt").text());
    }

    @Test
    void conditions_and_ranges_are_those_of_files() throws Exception {
        var request = Request.get("/a.txt");
        assertEquals(
                304,
                Pulled.of(files.handle(request.addHeader("If-None-Match", "*"))).status());
        assertEquals(
                "tx",
                Pulled.of(files.handle(request.addHeader("Range", "bytes=2-3"))).text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a.txt", "/nothing", "/docs", "/.hidden"})
    void other_methods_are_refused_with_405(String path) throws Exception {
        var got = Pulled.of(files.handle(Request.post(path, Bytes.EMPTY)));
        assertEquals(405, got.status());
        assertEquals("GET, HEAD", got.field("Allow"));
    }

    @Test
    void head_is_answered() throws Exception {
        assertEquals(
                200,
                Pulled.of(files.handle(Request.of("HEAD", "/a.txt", Bytes.EMPTY)))
                        .status());
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "/a%20b.txt, a b.txt",
                "/100%25.txt, 100%.txt",
                "/%252e, %2e",
                "/a+b, a+b",
                "/a%3Fb%23c, a?b#c",
                "/a:b;c=d, a:b;c=d",
                "/a..b, a..b",
                "/a., a.",
                "/~, ~"
            })
    void escapes_are_decoded_once(String path, String name) throws Exception {
        write(root, name);
        assertEquals(name, get(path).text());
    }

    @Test
    void names_are_utf_8() throws Exception {
        var charset = System.getProperty("sun.jnu.encoding", "");
        assumeTrue(Charset.isSupported(charset)
                && Charset.forName(charset).newEncoder().canEncode("gr\u00fcn"));
        write(root, "gr\u00fcn");
        assertEquals("gr\u00fcn", get("/gr%C3%BCn").text());
        assertEquals(404, get("/gr%FCn").status());
    }

    // What is not to be had.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nothing",
                "/../secret.txt",
                "/..",
                "/../",
                "/.",
                "/./a.txt",
                "/docs/../a.txt",
                "/docs/../../secret.txt",
                "/%2e%2e/secret.txt",
                "/%2E%2E/secret.txt",
                "/.%2E/secret.txt",
                "/%252e%252e/secret.txt",
                "/..%2fsecret.txt",
                "/..%252fsecret.txt",
                "/docs%2findex.html",
                "/..%5csecret.txt",
                "/..\\secret.txt",
                "/docs\\index.html",
                "/%c0%ae%c0%ae/secret.txt",
                "/..%c0%afsecret.txt",
                "/%e0%80%ae%e0%80%ae/secret.txt",
                "/a.txt%00",
                "/a.txt%00.html",
                "/a.txt\0",
                "/a.txt%0a",
                "/a.txt%7f",
                "/a.txt%c2%85",
                "/a.txt%20",
                "/a.txt.",
                "/a.txt/",
                "/a.txt/b",
                "/a.txt::$DATA",
                "/%",
                "/%4",
                "/a.tx%74%",
                "/%zz",
                "/%-1",
                "/gr\u00fcn",
                "//",
                "//a.txt",
                "/docs//index.html",
                "/docs/index.html//",
                "/",
                "",
                "*",
                "a.txt",
                "\\a.txt"
            })
    void nothing_else_is_found(String path) throws Exception {
        assertEquals(404, getRaw(path).status());
    }

    @Test
    void absolute_paths_lead_nowhere() throws Exception {
        assertEquals(404, getRaw("/" + directory.resolve("secret.txt")).status());
        assertEquals(404, getRaw(directory.resolve("secret.txt").toString()).status());
    }

    @Test
    void names_may_be_longer_than_a_file_system_takes_them() throws Exception {
        assertEquals(404, get("/" + "a".repeat(5_000)).status());
        assertEquals(404, get("/a".repeat(5_000)).status());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/.hidden",
                "/%2Ehidden",
                "/.git",
                "/.git/",
                "/.git/config",
                "/.well-known/.hidden",
                "/.well-known2"
            })
    void what_begins_with_a_dot_is_hidden(String path) throws Exception {
        write(root, ".well-known/.hidden");
        write(root, ".well-known2");
        assertEquals(404, getRaw(path).status());
    }

    @Test
    void what_is_well_known_is_not() throws Exception {
        assertEquals(".well-known/acme", get("/.well-known/acme").text());
    }

    @Test
    void special_files_are_not_shown() throws Exception {
        var pipe = root.resolve("pipe");
        assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0);
        assertEquals(404, get("/pipe").status());
    }

    // Links.

    @ParameterizedTest
    @CsvSource({
        "../secret.txt, /link",
        "../secret.txt, /link/",
        ".., /link/secret.txt",
        "../root2, /link/a.txt",
        "link, /link",
        "nothing, /link"
    })
    void a_link_that_leads_outside_leads_nowhere(String target, String path) throws Exception {
        write(directory, "root2/a.txt");
        Files.createSymbolicLink(root.resolve("link"), Path.of(target));
        assertEquals(404, get(path).status());
    }

    @Test
    void an_index_outside_is_none() throws Exception {
        Files.createSymbolicLink(root.resolve("index.html"), Path.of("../secret.txt"));
        assertEquals(404, get("/").status());
    }

    @Test
    void a_link_inside_is_followed() throws Exception {
        Files.createSymbolicLink(root.resolve("link"), Path.of("docs"));
        assertEquals("docs/index.html", get("/link/").text());
        assertEquals("/link/", get("/link").field("Location"));
    }

    /// So are files that a container gets from its configuration.
    @Test
    void a_link_may_lead_through_a_hidden_directory() throws Exception {
        write(root, "..data/b.txt");
        Files.createSymbolicLink(root.resolve("b.txt"), Path.of("..data/b.txt"));
        assertEquals("..data/b.txt", get("/b.txt").text());
    }

    @Test
    void what_was_asked_for_says_what_it_is() throws Exception {
        Files.createSymbolicLink(root.resolve("app.js"), Path.of("a.txt"));
        assertEquals("text/javascript; charset=utf-8", get("/app.js").field("Content-Type"));
    }

    @Test
    void the_root_may_be_a_link_that_is_changed() throws Exception {
        write(directory, "first/a.txt");
        write(directory, "second/b.txt");
        var link = Files.createSymbolicLink(directory.resolve("current"), Path.of("first"));
        var current = StaticFiles.of(link);
        assertEquals(200, get(current, "/a.txt").status());
        Files.delete(link);
        Files.createSymbolicLink(link, Path.of("second"));
        assertEquals(200, get(current, "/b.txt").status());
        assertEquals(404, get(current, "/a.txt").status());
    }

    @Test
    void the_root_must_be_a_directory() {
        assertThrows(IllegalArgumentException.class, () -> StaticFiles.of(root.resolve("nothing")));
        assertThrows(IllegalArgumentException.class, () -> StaticFiles.of(root.resolve("a.txt")));
    }

    // Directories.

    @Test
    void a_directory_is_its_index() throws Exception {
        var got = get("/docs/");
        assertEquals("docs/index.html", got.text());
        assertEquals("text/html; charset=utf-8", got.field("Content-Type"));
    }

    @ParameterizedTest
    @CsvSource({"/docs, /docs/", "/docs?a=1&b=%2F, /docs/?a=1&b=%2F", "/a%20b, /a%20b/"})
    void a_directory_without_its_slash_is_elsewhere(String target, String location) throws Exception {
        write(root, "a b/index.html");
        var got = get(target);
        assertEquals(301, got.status());
        assertEquals(location, got.field("Location"));
        assertEquals(0, got.body().length());
    }

    @Test
    void a_directory_without_an_index_is_nothing() throws Exception {
        assertEquals(404, get("/empty/").status());
        assertEquals(404, get("/empty").status());
    }

    @Test
    void an_index_that_is_a_directory_is_none() throws Exception {
        Files.createDirectory(root.resolve("empty/index.html"));
        assertEquals(404, get("/empty/").status());
    }

    // Prefixes.

    @ParameterizedTest
    @ValueSource(strings = {"/~static", "/~static/", "/%7Estatic", "/b/../~static"})
    void a_prefix_is_taken_away(String prefix) throws Exception {
        files = files.under(prefix);
        assertEquals("a.txt", get("/~static/a.txt").text());
        assertEquals("docs/index.html", get("/%7estatic/docs/").text());
        assertEquals("/~static/docs/", get("/~static/docs").field("Location"));
    }

    @Test
    void the_prefix_itself_is_a_directory() throws Exception {
        write(root, "index.html");
        files = files.under("/static");
        assertEquals("/static/?q", get("/static?q").field("Location"));
        assertEquals("index.html", get("/static/").text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a.txt",
                "/statica.txt",
                "/static.txt",
                "/STATIC/a.txt",
                "/",
                "/static//a.txt",
                "/static/../a.txt"
            })
    void other_paths_are_nothing(String path) throws Exception {
        files = files.under("/static");
        assertEquals(404, getRaw(path).status());
    }

    @Test
    void the_root_is_no_prefix() throws Exception {
        assertEquals("a.txt", get(files.under("/"), "/a.txt").text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "static", "*", "/a?b", "/a?", "/a b", "/..", "http://a/b"})
    void a_prefix_is_a_path(String prefix) {
        assertThrows(IllegalArgumentException.class, () -> files.under(prefix));
    }

    // Settings.

    @Test
    void a_copy_changes_nothing_else() throws Exception {
        var listing = files.under("/static").listing(true);
        assertEquals(200, get(listing, "/static/empty/").status());
        assertEquals(404, get(listing.listing(false), "/static/empty/").status());
        assertEquals(404, get("/empty/").status());
    }
}
