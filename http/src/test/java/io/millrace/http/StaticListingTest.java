package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.file.Pulled;
import io.millrace.http.server.StaticFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The pages of [StaticFiles#listing].
class StaticListingTest {
    private static final Pattern LINK = Pattern.compile("<a href=\"([^\"]*)\">([^<]*)</a>");

    @TempDir
    Path directory;

    Path root;
    StaticFiles files;

    @BeforeEach
    void there_is_a_directory() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        files = StaticFiles.of(root).listing(true);
    }

    private Pulled get(String target) throws Exception {
        return Pulled.of(files.handle(Request.get(target)));
    }

    private List<MatchResult> links(String target) throws Exception {
        return LINK.matcher(get(target).text()).results().toList();
    }

    private List<String> texts(String target) throws Exception {
        return links(target).stream().map(link -> link.group(2)).toList();
    }

    private List<String> hrefs(String target) throws Exception {
        return links(target).stream().map(link -> link.group(1)).toList();
    }

    private void write(String name) throws IOException {
        Files.writeString(root.resolve(name), name);
    }

    @Test
    void below_a_mount_a_directory_is_where_it_was_asked_for() throws Exception {
        Files.createDirectory(root.resolve("docs"));
        var app = Routes.of().mount("/files", files);
        var moved = Pulled.of(app.handle(Request.get("/files/docs?q")));
        assertEquals("/files/docs/?q", moved.field("Location"));
        var page = Pulled.of(app.handle(Request.get("/files/docs/"))).text();
        assertTrue(page.contains("/files/docs/"), page);
    }

    @Test
    void files_and_directories_are_sorted() throws Exception {
        for (var name : List.of("c", "a", "B")) write(name);
        Files.createDirectory(root.resolve("b"));
        assertEquals(List.of("B", "a", "b/", "c"), texts("/"));
        assertEquals("text/html; charset=utf-8", get("/").field("Content-Type"));
    }

    @Test
    void every_directory_but_the_root_leads_up() throws Exception {
        Files.createDirectory(root.resolve("a"));
        assertEquals(List.of("a/"), hrefs("/"));
        assertEquals(List.of("../"), hrefs("/a/"));
    }

    @Test
    void files_have_a_size_and_everything_a_time() throws Exception {
        Files.writeString(root.resolve("a"), "x".repeat(1234));
        Files.createDirectory(root.resolve("b"));
        for (var name : List.of("a", "b"))
            Files.setLastModifiedTime(root.resolve(name), FileTime.from(Instant.parse("2024-02-29T23:58:59Z")));
        var page = get("/").text();
        assertTrue(page.contains(">a</a><td align=\"right\">1,234<td>2024-02-29 23:58\n"), page);
        assertTrue(page.contains(">b/</a><td align=\"right\"><td>2024-02-29 23:58\n"), page);
    }

    @Test
    void a_title_is_decoded_where_it_is_mounted_too() throws Exception {
        Files.createDirectory(root.resolve("c d"));
        var app = Routes.of().mount("/a%20b", files.under("/%3Ci%3E"));
        var page = Pulled.of(app.handle(Request.get("/a%20b/%3Ci%3E/c%20d/"))).text();
        assertTrue(page.contains("<h1>/a b/&lt;i&gt;/c d/</h1>"), page);
    }

    @Test
    void names_are_text_and_no_html() throws Exception {
        write("<b>&\"'.txt");
        assertEquals(List.of("&lt;b&gt;&amp;&quot;&#39;.txt"), texts("/"));
        assertEquals(List.of("%3Cb%3E%26%22%27.txt"), hrefs("/"));
    }

    @Test
    void a_title_is_text_and_no_html() throws Exception {
        Files.createDirectory(root.resolve("<script>"));
        var page = get("/%3Cscript%3E/").text();
        assertTrue(page.contains("<h1>/&lt;script&gt;/</h1>"), page);
        assertFalse(page.contains("<script>"), page);
    }

    @Test
    void a_title_is_the_path_that_was_asked_for() throws Exception {
        Files.createDirectories(root.resolve("a/b"));
        files = StaticFiles.of(root).under("/assets").listing(true);
        assertTrue(get("/assets/").text().contains("<h1>/assets/</h1>"));
        assertTrue(get("/assets/a/b/").text().contains("<title>/assets/a/b/</title>"));
    }

    @Test
    void a_name_is_no_address_elsewhere() throws Exception {
        write("javascript:alert(1)");
        assertEquals(List.of("javascript%3Aalert%281%29"), hrefs("/"));
    }

    @Test
    void every_link_leads_to_its_file() throws Exception {
        var names =
                List.of("a b", "100%", "%2e", "a?b", "a#b", "a&amp;b", "a+b", "a:b", "a;b", "~", "a\"b", "'", "[1]");
        for (var name : names) write(name);
        var hrefs = hrefs("/");
        assertEquals(names.size(), hrefs.size());
        var contents = new TreeSet<String>();
        for (var href : hrefs) contents.add(get("/" + href).text());
        assertEquals(new TreeSet<>(names), contents);
    }

    @Test
    void what_may_not_be_asked_for_is_not_listed() throws Exception {
        Files.writeString(directory.resolve("secret.txt"), "secret");
        for (var name : List.of(".hidden", "a\\b", "a\nb", "a\u007fb")) write(name);
        Files.createSymbolicLink(root.resolve("outside"), Path.of("../secret.txt"));
        Files.createSymbolicLink(root.resolve("up"), Path.of(".."));
        Files.createSymbolicLink(root.resolve("broken"), Path.of("nothing"));
        assertEquals(List.of(), texts("/"));
    }

    @Test
    void an_index_comes_instead() throws Exception {
        write("index.html");
        assertEquals("index.html", get("/").text());
    }

    @Test
    void a_directory_without_its_slash_is_elsewhere() throws Exception {
        Files.createDirectory(root.resolve("a"));
        assertEquals("/a/", get("/a").field("Location"));
    }

    @Test
    void head_is_answered() throws Exception {
        assertEquals(
                200,
                Pulled.of(files.handle(Request.of("HEAD", "/", Bytes.EMPTY))).status());
    }

    @Test
    void a_thousand_entries_are_listed_and_no_more() throws Exception {
        for (int i = 0; i < 1_000; i++) write("a" + i);
        assertEquals(1_000, links("/").size());
        assertFalse(get("/").text().contains("and more"));
        write("b");
        assertEquals(1_000, links("/").size());
        assertTrue(get("/").text().contains("and more"));
    }
}
