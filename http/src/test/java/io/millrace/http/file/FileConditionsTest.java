package io.millrace.http.file;

import static io.millrace.http.file.ServedFile.MODIFIED;
import static io.millrace.http.file.ServedFile.MODIFIED_TEXT;
import static io.millrace.http.file.ServedFile.SECOND_AFTER;
import static io.millrace.http.file.ServedFile.SECOND_BEFORE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.Request;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// RFC 9110 section 13. In a list of tags, `#` stands for that of the file.
class FileConditionsTest {
    @TempDir
    Path directory;

    ServedFile file;

    @BeforeEach
    void there_is_a_file() throws Exception {
        file = ServedFile.file(directory.resolve("a.txt"), "0123456789");
    }

    @AfterEach
    void every_file_is_closed() throws Exception {
        assertEquals(List.of(), Pulled.openBelow(directory));
    }

    private int status(String... fields) throws Exception {
        for (int i = 1; i < fields.length; i += 2) fields[i] = fields[i].replace("#", file.tag());
        return file.get(fields).status();
    }

    // If-Match.

    @ParameterizedTest
    @ValueSource(strings = {"*", "#", "\"a\", #", "\"a\",#,\"b\"", ",, # ,", "W/\"a\",\t#", "\"a,b\", #"})
    void if_match_with_the_tag_goes_on(String tags) throws Exception {
        assertEquals(200, status("If-Match", tags));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"a\"", "W/#", "", ",", "*, #", "a, #", "# #", "#x", "\"a, #", "w/\"a\", #", "\"a b\", #"})
    void if_match_without_the_tag_is_412(String tags) throws Exception {
        assertEquals(412, status("If-Match", tags));
    }

    @Test
    void if_match_never_matches_a_weak_tag() throws Exception {
        var fresh = file.at(MODIFIED.plusMillis(1));
        assertEquals(412, fresh.get("If-Match", fresh.tag()).status());
        assertEquals(200, fresh.get("If-Match", "*").status());
    }

    @Test
    void several_lines_are_one_list() throws Exception {
        assertEquals(200, status("If-Match", "\"a\"", "If-Match", "#"));
        assertEquals(304, status("If-None-Match", "\"a\"", "If-None-Match", "#"));
    }

    @Test
    void where_nothing_is_no_condition_matters() throws Exception {
        var nothing = directory.resolve("b.txt");
        var request = Request.get("/").addHeader("If-Match", "*");
        assertEquals(404, FileResponse.of(nothing, request).status());
        assertEquals(405, file.ask("POST", "If-Match", "\"a\"").status());
    }

    // If-Unmodified-Since.

    @Test
    void if_unmodified_since_the_change_or_later_goes_on() throws Exception {
        assertEquals(200, status("If-Unmodified-Since", MODIFIED_TEXT));
        assertEquals(200, status("If-Unmodified-Since", SECOND_AFTER));
    }

    @Test
    void if_unmodified_since_before_the_change_is_412() throws Exception {
        assertEquals(412, status("If-Unmodified-Since", SECOND_BEFORE));
    }

    @Test
    void if_unmodified_since_counts_only_without_if_match() throws Exception {
        assertEquals(200, status("If-Match", "#", "If-Unmodified-Since", SECOND_BEFORE));
        assertEquals(412, status("If-Match", "\"a\"", "If-Unmodified-Since", SECOND_AFTER));
    }

    @Test
    void what_is_no_date_is_not_there() throws Exception {
        assertEquals(200, status("If-Unmodified-Since", "yesterday"));
        assertEquals(200, status("If-Unmodified-Since", SECOND_BEFORE + ", " + SECOND_BEFORE));
        assertEquals(200, status("If-Unmodified-Since", SECOND_BEFORE, "If-Unmodified-Since", SECOND_BEFORE));
        assertEquals(200, status("If-Modified-Since", "tomorrow"));
        assertEquals(200, status("If-Modified-Since", SECOND_AFTER, "If-Modified-Since", SECOND_AFTER));
    }

    // If-None-Match.

    @ParameterizedTest
    @ValueSource(strings = {"*", "#", "W/#", "\"a\", W/#"})
    void if_none_match_with_the_tag_is_304(String tags) throws Exception {
        assertEquals(304, status("If-None-Match", tags));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"a\"", "", "#, b", "'a'", "\"#\""})
    void if_none_match_without_the_tag_goes_on(String tags) throws Exception {
        assertEquals(200, status("If-None-Match", tags));
    }

    @Test
    void if_none_match_matches_a_weak_tag() throws Exception {
        var fresh = file.at(MODIFIED.plusMillis(1));
        assertEquals(304, fresh.get("If-None-Match", fresh.tag()).status());
        assertEquals(304, fresh.get("If-None-Match", file.tag()).status());
    }

    @Test
    void what_has_not_changed_comes_with_its_tag_and_without_a_body() throws Exception {
        var got = file.get("If-None-Match", file.tag());
        assertEquals(file.tag(), got.field("ETag"));
        assertEquals(1, got.headers().size());
        assertEquals(0, got.body().length());
    }

    @Test
    void head_is_asked_under_the_same_conditions() throws Exception {
        assertEquals(304, file.head("If-None-Match", "*").status());
        assertEquals(304, file.head("If-Modified-Since", MODIFIED_TEXT).status());
        assertEquals(412, file.head("If-Match", "\"a\"").status());
    }

    // If-Modified-Since.

    @Test
    void if_modified_since_the_change_or_later_is_304() throws Exception {
        assertEquals(304, status("If-Modified-Since", MODIFIED_TEXT));
        assertEquals(304, status("If-Modified-Since", SECOND_AFTER));
        assertEquals(304, status("If-Modified-Since", "Monday, 06-May-24 07:08:09 GMT"));
        assertEquals(304, status("If-Modified-Since", "Mon May  6 07:08:09 2024"));
    }

    @Test
    void if_modified_since_before_the_change_goes_on() throws Exception {
        assertEquals(200, status("If-Modified-Since", SECOND_BEFORE));
    }

    @Test
    void if_modified_since_counts_only_without_if_none_match() throws Exception {
        assertEquals(200, status("If-None-Match", "\"a\"", "If-Modified-Since", SECOND_AFTER));
        assertEquals(304, status("If-None-Match", "#", "If-Modified-Since", SECOND_BEFORE));
    }

    // Their order.

    @Test
    void what_fails_is_told_before_what_has_not_changed() throws Exception {
        assertEquals(412, status("If-None-Match", "#", "If-Match", "\"a\""));
        assertEquals(412, status("If-Modified-Since", SECOND_AFTER, "If-Unmodified-Since", SECOND_BEFORE));
        assertEquals(304, status("If-Match", "#", "If-None-Match", "#"));
        assertEquals(304, status("If-Unmodified-Since", SECOND_AFTER, "If-Modified-Since", SECOND_AFTER));
    }

    @Test
    void ranges_are_looked_at_last() throws Exception {
        assertEquals(412, status("Range", "bytes=0-1", "If-Match", "\"a\""));
        assertEquals(304, status("Range", "bytes=0-1", "If-None-Match", "#"));
        assertEquals(304, status("Range", "bytes=99-", "If-None-Match", "#"));
        assertEquals(206, status("Range", "bytes=0-1", "If-Match", "#", "If-None-Match", "\"a\""));
    }

    // If-Range.

    @Test
    void a_range_of_the_same_version_is_a_part() throws Exception {
        assertEquals(206, status("Range", "bytes=0-1", "If-Range", "#"));
        assertEquals(206, status("Range", "bytes=0-1", "If-Range", MODIFIED_TEXT));
        assertEquals(416, status("Range", "bytes=99-", "If-Range", "#"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\"a\"", "W/#", "*", "", "#, #", ", #", "a", SECOND_BEFORE, SECOND_AFTER, "Mon, 06 May 2024"})
    void a_range_of_another_version_is_the_whole_file(String version) throws Exception {
        assertEquals(200, status("Range", "bytes=0-1", "If-Range", version));
        assertEquals(200, status("Range", "bytes=99-", "If-Range", version));
    }

    @Test
    void a_weak_tag_allows_no_range() throws Exception {
        var fresh = file.at(MODIFIED.plusMillis(1));
        assertEquals(
                200, fresh.get("Range", "bytes=0-1", "If-Range", fresh.tag()).status());
        assertEquals(
                200, fresh.get("Range", "bytes=0-1", "If-Range", MODIFIED_TEXT).status());
        assertEquals(206, fresh.get("Range", "bytes=0-1").status());
    }

    @Test
    void two_versions_are_none() throws Exception {
        assertEquals(200, status("Range", "bytes=0-1", "If-Range", "#", "If-Range", "#"));
    }

    @Test
    void if_range_means_nothing_without_a_range() throws Exception {
        assertEquals(200, status("If-Range", "#"));
        assertEquals(200, status("If-Range", "\"a\""));
    }
}
