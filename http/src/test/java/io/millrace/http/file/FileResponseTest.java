package io.millrace.http.file;

import static io.millrace.http.file.ServedFile.MODIFIED;
import static io.millrace.http.file.ServedFile.MODIFIED_TEXT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.millrace.bytes.Bytes;
import io.millrace.http.Request;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileResponseTest {
    @TempDir
    Path directory;

    @AfterEach
    void every_file_is_closed() throws Exception {
        assertEquals(List.of(), Pulled.openBelow(directory));
    }

    private ServedFile file(String content) throws Exception {
        return ServedFile.file(directory.resolve("a.txt"), content);
    }

    private static byte[] random(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void a_file_is_sent_with_what_is_known_of_it() throws Exception {
        var got = file("hello").get();
        assertEquals(200, got.status());
        assertEquals("hello", got.text());
        assertEquals("text/plain; charset=utf-8", got.field("Content-Type"));
        assertEquals(MODIFIED_TEXT, got.field("Last-Modified"));
        assertEquals("bytes", got.field("Accept-Ranges"));
        assertTrue(got.field("ETag").matches("\"[0-9a-f-]+\""), got.field("ETag"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 65_535, 65_536, 65_537, 131_072, 1_000_000})
    void a_file_of_any_size_comes_whole(int length) throws Exception {
        var content = random(length);
        var got = ServedFile.file(directory.resolve("a.bin"), content).get();
        assertArrayEquals(content, got.body().toArray());
    }

    @Test
    void an_empty_file_is_a_file() throws Exception {
        var got = file("").get();
        assertEquals(200, got.status());
        assertEquals(0, got.body().length());
    }

    @Test
    void head_has_the_fields_and_the_length_of_get() throws Exception {
        var file = file("hello");
        assertEquals(file.get().headers(), file.head().headers());
        var answer = (BuiltResponse) FileResponse.of(file.path, Request.of("HEAD", "/", Bytes.EMPTY));
        var stream = assertInstanceOf(Body.Stream.class, answer.content());
        assertEquals(5, stream.length());
        stream.writer().onClose();
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "get"})
    void other_methods_are_refused_with_405(String method) throws Exception {
        var got = file("hello").ask(method);
        assertEquals(405, got.status());
        assertEquals("GET, HEAD", got.field("Allow"));
    }

    @Test
    void there_is_404_for_nothing_and_for_what_is_no_file() throws Exception {
        var file = file("hello").path;
        for (var path : List.of(directory.resolve("b.txt"), directory, file.resolve("c"), Path.of("/dev/zero"))) {
            assertEquals(404, FileResponse.of(path, Request.get("/")).status(), path.toString());
        }
    }

    @Test
    void a_file_that_may_not_be_read_is_404() throws Exception {
        var file = file("secret").path;
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assumeFalse(Files.isReadable(file), "somebody who may read everything");
        assertEquals(404, FileResponse.of(file, Request.get("/")).status());
    }

    @Test
    void a_link_is_followed() throws Exception {
        var link = Files.createSymbolicLink(directory.resolve("b.html"), file("hello").path);
        var got = Pulled.of(FileResponse.of(link, Request.get("/")));
        assertEquals("hello", got.text());
        assertEquals("text/html; charset=utf-8", got.field("Content-Type"));
    }

    @Test
    void a_media_type_may_be_given() throws Exception {
        var got = Pulled.of(FileResponse.of(
                file("hello").path, Representation.plain("text/x-greeting"), Request.get("/"), Optional.empty()));
        assertEquals("text/x-greeting", got.field("Content-Type"));
    }

    // What changes.

    @Test
    void a_file_that_became_shorter_fails_and_is_closed() throws Exception {
        var file = ServedFile.file(directory.resolve("a.bin"), random(200_000));
        var response = FileResponse.of(file.path, Request.get("/"));
        Files.write(file.path, random(100_000));
        assertThrows(EOFException.class, () -> Pulled.of(response));
    }

    @Test
    void of_a_file_that_grew_as_much_is_sent_as_was_promised() throws Exception {
        var file = file("hello");
        var response = FileResponse.of(file.path, Request.get("/"));
        Files.writeString(file.path, ", world", StandardOpenOption.APPEND);
        assertEquals("hello", Pulled.of(response).text());
    }

    @Test
    void a_file_that_was_replaced_is_sent_as_it_was() throws Exception {
        var file = file("hello");
        var response = FileResponse.of(file.path, Request.get("/"));
        var other = Files.writeString(directory.resolve("b.txt"), "HELLO");
        Files.move(other, file.path, StandardCopyOption.REPLACE_EXISTING);
        assertEquals("hello", Pulled.of(response).text());
    }

    @Test
    void another_time_or_another_size_is_another_tag() throws Exception {
        var tag = file("hello").tag();
        assertNotEquals(tag, file("hello!").tag());
        var later = file("hello");
        Files.setLastModifiedTime(later.path, FileTime.from(MODIFIED.plusMillis(10)));
        assertNotEquals(tag, later.tag());
    }

    @Test
    void the_tag_of_a_file_that_has_just_changed_is_weak() throws Exception {
        var file = file("hello");
        assertEquals("W/" + file.tag(), file.at(MODIFIED.plusMillis(1)).tag());
        assertEquals("W/" + file.tag(), file.at(MODIFIED.plusSeconds(2)).tag());
        assertEquals(file.tag(), file.at(MODIFIED.plusSeconds(3)).tag());
    }

    @Test
    void no_file_was_modified_in_the_future() throws Exception {
        var got = file("hello").at(Instant.parse("2024-01-01T00:00:00Z")).get();
        assertEquals("Mon, 01 Jan 2024 00:00:00 GMT", got.field("Last-Modified"));
        assertTrue(got.field("ETag").startsWith("W/"));
    }

    @Test
    void a_file_from_before_1970_is_from_1970() throws Exception {
        var file = file("hello");
        Files.setLastModifiedTime(file.path, FileTime.from(Instant.parse("1960-01-01T00:00:00Z")));
        var got = file.get();
        assertEquals("Thu, 01 Jan 1970 00:00:00 GMT", got.field("Last-Modified"));
        assertFalse(got.field("ETag").startsWith("W/"));
    }
}
