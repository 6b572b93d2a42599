package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Bytes;
import io.millrace.http.file.Pulled;
import io.millrace.http.filter.Compression;
import io.millrace.http.server.StaticFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// [StaticFiles#precompressed]. Each file contains its name.
class PrecompressedFilesTest {
    private static final FileTime THEN = FileTime.fromMillis(1_700_000_000_000L);

    @TempDir
    Path directory;

    Path root;
    StaticFiles files;

    @BeforeEach
    void there_are_files() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        for (var name :
                List.of("a.css", "a.css.br", "a.css.zst", "a.css.gz", "plain.css", "index.html", "index.html.gz"))
            write(name, THEN);
        files = StaticFiles.of(root).precompressed(List.of("br", "zstd", "gzip"));
    }

    @AfterEach
    void every_file_is_closed() throws IOException {
        assertEquals(List.of(), Pulled.openBelow(directory));
    }

    private Path write(String name, FileTime modified) throws IOException {
        return Files.setLastModifiedTime(Files.writeString(root.resolve(name), name), modified);
    }

    private static Request asking(String target, String codings) {
        return Request.get(target).addHeader("Accept-Encoding", codings);
    }

    private Pulled get(Request request) throws Exception {
        return Pulled.of(files.handle(request));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gzip, br, zstd           | a.css.br
            gzip, zstd               | a.css.zst
            gzip                     | a.css.gz
            x-gzip                   | a.css.gz
            gzip, br;q=0.5           | a.css.gz
            br;q=0, *                | a.css.zst
            br;q=0.4, identity;q=0.5 | a.css
            br;q=0                   | a.css
            deflate                  | a.css
            *                        | a.css.br
            """)
    void a_client_gets_the_file_that_it_wants_most(String codings, String name) throws Exception {
        assertEquals(name, get(asking("/a.css", codings)).text());
    }

    @Test
    void it_says_what_it_is_and_that_others_get_another() throws Exception {
        var got = get(asking("/a.css", "zstd"));
        assertEquals("zstd", got.field("Content-Encoding"));
        assertEquals("text/css; charset=utf-8", got.field("Content-Type"));
        assertEquals("Accept-Encoding", got.field("Vary"));
        for (var target : List.of("/a.css", "/plain.css")) {
            var plain = get(Request.get(target));
            assertEquals(target.substring(1), plain.text());
            assertEquals("Accept-Encoding", plain.field("Vary"));
            assertEquals(List.of(), plain.headers().all("Content-Encoding"));
        }
    }

    @Test
    void each_file_has_a_tag_of_its_own() throws Exception {
        Files.writeString(root.resolve("a.css"), "a.css.gz");
        Files.setLastModifiedTime(root.resolve("a.css"), THEN);
        var plain = get(Request.get("/a.css")).field("ETag");
        var coded = get(asking("/a.css", "gzip")).field("ETag");
        assertNotEquals(plain, coded);
        var unchanged = get(asking("/a.css", "gzip").addHeader("If-None-Match", coded));
        assertEquals(304, unchanged.status());
        assertEquals("Accept-Encoding", unchanged.field("Vary"));
        assertEquals(
                200,
                get(asking("/a.css", "gzip").addHeader("If-None-Match", plain)).status());
    }

    @Test
    void a_range_is_one_of_the_compressed_bytes() throws Exception {
        var request = asking("/a.css", "gzip").addHeader("Range", "bytes=6-");
        var part =
                get(request.addHeader("If-Range", get(asking("/a.css", "gzip")).field("ETag")));
        assertEquals(206, part.status());
        assertEquals("gz", part.text());
        assertEquals("bytes 6-7/8", part.field("Content-Range"));
        assertEquals("gzip", part.field("Content-Encoding"));
        var other = request.addHeader("If-Range", get(Request.get("/a.css")).field("ETag"));
        assertEquals("a.css.gz", get(other).text());
    }

    @Test
    void head_says_the_same() throws Exception {
        var head = Request.of("HEAD", "/a.css", Bytes.EMPTY).addHeader("Accept-Encoding", "br");
        assertEquals("br", get(head).field("Content-Encoding"));
    }

    @Test
    void an_index_is_a_file_like_others() throws Exception {
        var got = get(asking("/", "gzip"));
        assertEquals("index.html.gz", got.text());
        assertEquals("text/html; charset=utf-8", got.field("Content-Type"));
    }

    @Test
    void one_that_is_older_than_the_original_has_the_content_of_before() throws Exception {
        write("a.css", FileTime.fromMillis(THEN.toMillis() + 1));
        assertEquals("a.css", get(asking("/a.css", "br, gzip")).text());
        write("a.css.gz", FileTime.fromMillis(THEN.toMillis() + 2));
        assertEquals("a.css.gz", get(asking("/a.css", "br, gzip")).text());
    }

    @Test
    void without_an_original_there_is_nothing() throws Exception {
        Files.delete(root.resolve("a.css"));
        assertEquals(404, get(asking("/a.css", "br")).status());
        assertEquals("a.css.br", get(Request.get("/a.css.br")).text());
    }

    @Test
    void one_that_lies_elsewhere_or_is_no_file_is_not_served() throws Exception {
        Files.delete(root.resolve("a.css.br"));
        Files.createSymbolicLink(root.resolve("a.css.br"), Files.writeString(directory.resolve("secret"), "secret"));
        Files.delete(root.resolve("a.css.zst"));
        Files.createDirectory(root.resolve("a.css.zst"));
        assertEquals("a.css.gz", get(asking("/a.css", "br, zstd, gzip")).text());
    }

    @Test
    void what_is_compressed_is_not_compressed_again() throws Exception {
        var app = Compression.gzip().least(0).around(files);
        var coded = Pulled.of(app.handle(asking("/a.css", "gzip")));
        assertEquals("a.css.gz", coded.text());
        assertEquals(List.of("Accept-Encoding"), coded.headers().all("Vary"));
    }

    @Test
    void codings_that_no_file_has_are_refused() {
        var refused = assertThrows(IllegalArgumentException.class, () -> files.precompressed(List.of("deflate")));
        Asking.assertSays("take one of br, zstd, gzip", refused);
    }
}
