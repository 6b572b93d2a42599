package io.millrace.http.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// RFC 9110 section 14.
class FileRangesTest {
    @TempDir
    Path directory;

    @AfterEach
    void every_file_is_closed() throws Exception {
        assertEquals(List.of(), Pulled.openBelow(directory));
    }

    private ServedFile file(String content) throws Exception {
        return ServedFile.file(directory.resolve("a.txt"), content);
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=0-0, 0-0, 0",
        "bytes=2-4, 2-4, 234",
        "bytes=0-9, 0-9, 0123456789",
        "bytes=9-9, 9-9, 9",
        "bytes=7-, 7-9, 789",
        "bytes=0-, 0-9, 0123456789",
        "bytes=8-10, 8-9, 89",
        "bytes=8-99999999999999999999999, 8-9, 89",
        "bytes=8-9223372036854775807, 8-9, 89",
        "bytes=-1, 9-9, 9",
        "bytes=-10, 0-9, 0123456789",
        "bytes=-11, 0-9, 0123456789",
        "bytes=-99999999999999999999999, 0-9, 0123456789",
        "bytes=0000000000000000000000002-004, 2-4, 234",
        "BYTES=2-4, 2-4, 234"
    })
    void a_range_is_a_part(String range, String part, String content) throws Exception {
        var got = file("0123456789").get("Range", range);
        assertEquals(206, got.status());
        assertEquals("bytes " + part + "/10", got.field("Content-Range"));
        assertEquals(content, got.text());
    }

    @Test
    void a_part_has_the_fields_of_the_whole() throws Exception {
        var file = file("0123456789");
        var part = file.get("Range", "bytes=2-4");
        assertEquals(file.get().headers(), part.headers().without("Content-Range"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes=10-",
                "bytes=10-10",
                "bytes=10-20",
                "bytes=99999999999999999999999-",
                "bytes=9223372036854775807-9223372036854775807",
                "bytes=9223372036854775808-",
                "bytes=-0",
                "bytes=-000"
            })
    void a_range_behind_the_end_is_refused_with_416(String range) throws Exception {
        var got = file("0123456789").get("Range", range);
        assertEquals(416, got.status());
        assertEquals("bytes */10", got.field("Content-Range"));
        assertEquals("text/plain; charset=utf-8", got.field("Content-Type"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "bytes",
                "bytes=",
                "bytes=-",
                "bytes=--1",
                "bytes=1",
                "bytes=4-2",
                "bytes=99999999999999999999-1",
                "bytes=1-2-3",
                "bytes=a-b",
                "bytes=+1-2",
                "bytes=1-+2",
                "bytes=0x1-2",
                "bytes=1.0-2",
                "bytes= 1-2",
                "bytes=1 -2",
                "bytes=1- 2",
                "bytes =1-2",
                "bytes=1-2;q=1",
                "bytes:1-2",
                "bytes=\u00b2-4",
                "1-2",
                "lines=1-2",
                "none=0-",
                "bytes=0-1,3-4",
                "bytes=0-1, 3-4",
                "bytes=0-,0-,0-",
                "bytes=1-2,",
                "bytes=,1-2"
            })
    void several_ranges_other_units_and_what_is_none_get_the_whole_file(String range) throws Exception {
        var got = file("0123456789").get("Range", range);
        assertEquals(200, got.status());
        assertEquals("", got.field("Content-Range"));
        assertEquals("0123456789", got.text());
    }

    @Test
    void two_lines_of_ranges_get_the_whole_file() throws Exception {
        var got = file("0123456789").get("Range", "bytes=0-1", "Range", "bytes=0-1");
        assertEquals(200, got.status());
    }

    @Test
    void head_knows_no_ranges() throws Exception {
        assertEquals(200, file("0123456789").head("Range", "bytes=0-1").status());
        assertEquals(200, file("0123456789").head("Range", "bytes=99-").status());
    }

    @Test
    void every_beginning_is_behind_the_end_of_an_empty_file() throws Exception {
        var got = file("").get("Range", "bytes=0-");
        assertEquals(416, got.status());
        assertEquals("bytes */0", got.field("Content-Range"));
        assertEquals(416, file("").get("Range", "bytes=-0").status());
    }

    @Test
    void the_end_of_an_empty_file_is_all_of_it() throws Exception {
        var got = file("").get("Range", "bytes=-5");
        assertEquals(200, got.status());
        assertEquals(0, got.body().length());
    }

    @Test
    void a_large_part_comes_bit_by_bit() throws Exception {
        var content = new byte[300_000];
        new Random(1).nextBytes(content);
        var file = ServedFile.file(directory.resolve("a.bin"), content);
        var got = file.get("Range", "bytes=70001-270000");
        assertArrayEquals(
                Arrays.copyOfRange(content, 70_001, 270_001), got.body().toArray());
    }
}
