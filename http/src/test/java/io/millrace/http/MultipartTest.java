package io.millrace.http;

import static io.millrace.http.MultipartBodies.BOUNDARY;
import static io.millrace.http.MultipartBodies.encoded;
import static io.millrace.http.MultipartBodies.field;
import static io.millrace.http.MultipartBodies.file;
import static io.millrace.http.MultipartBodies.lines;
import static io.millrace.http.MultipartBodies.request;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Bodies that are there whole; `|` is a line end in their texts.
class MultipartTest {
    private static final Multipart.Limits STANDARD = Multipart.Limits.standard();
    private static final String DISPOSITION = "Content-Disposition: form-data; name=a";

    private static List<Part> parsed(String body) {
        return Multipart.of(request(lines(body))).parts();
    }

    private static PartHead head(String lines) {
        return parsed("--b-b|" + lines + "||x|--b-b--|").getFirst().head();
    }

    private static int refused(Request request, Multipart.Limits limits) {
        return assertThrows(HttpError.class, () -> Multipart.of(request, limits))
                .status();
    }

    private static int refused(String body) {
        return refused(request(lines(body)), STANDARD);
    }

    private static int refusedHead(String lines) {
        return refused("--b-b|" + lines + "||x|--b-b--|");
    }

    @Test
    void fields_and_files_keep_their_order() {
        var content = new byte[] {0, 13, 10, 45, 45, -1};
        var parts = List.of(field("b", "1"), file("f", "x.bin", content), field("a", "ü\r\n"), field("b", ""));

        assertEquals(parts, Multipart.of(request(encoded(parts))).parts());
    }

    @Test
    void a_part_is_found_by_its_name() {
        var multipart = Multipart.of(request(encoded(List.of(field("a", "1"), field("b", "2"), field("a", "3")))));

        assertEquals("1", multipart.first("a").orElseThrow().text());
        assertEquals(2, multipart.all("a").size());
        assertEquals(Optional.empty(), multipart.first("c"));
        assertEquals(List.of(), multipart.all("c"));
    }

    @Test
    void a_form_without_fields_has_no_parts() {
        assertEquals(List.of(), parsed("--b-b--|"));
    }

    @Test
    void the_last_line_end_may_be_missing() {
        assertEquals(1, parsed("--b-b|" + DISPOSITION + "||x|--b-b--").size());
    }

    @Test
    void what_only_begins_like_a_boundary_is_content() {
        var content = "|--b-|--|--b|-b-|\r|--b-\r|--c-b||".replace("|", "\r\n");

        assertEquals(
                content,
                Multipart.of(request(encoded(List.of(field("a", content)))))
                        .parts()
                        .getFirst()
                        .text());
    }

    @Test
    void contents_are_not_shown() {
        var multipart = Multipart.of(request(encoded(List.of(field("a", "secret")))));

        assertFalse(multipart.toString().contains("secret"));
    }

    // Heads.

    @Test
    void a_file_has_a_name_and_a_media_type() {
        var head =
                head("Content-Disposition: form-data; name=\"f\"; filename=\"a b.txt\"|Content-Type: text/plain; x=y");

        assertEquals(new PartHead("f", Optional.of("a b.txt"), Optional.of("text/plain; x=y")), head);
    }

    @Test
    void fields_may_be_in_any_case_and_others_do_not_matter() {
        assertEquals(
                "f",
                head("X-Other: 1|content-DISPOSITION:Form-Data ; NAME=f|Content-Length: 7")
                        .name());
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "\"\",``",
                "a.txt,a.txt",
                "\"../../etc/passwd\",../../etc/passwd",
                "\"C:\\dir\\x.txt\",C:\\dir\\x.txt",
                "\"a\\\"b\\\\c\",a\"b\\c",
                "\"ü€😀\",ü€😀",
                "\"a;b=c\",a;b=c",
                "\"%22%0D%0A\",%22%0D%0A"
            })
    void a_file_name_is_text_as_it_came(String sent, String expected) {
        assertEquals(
                Optional.of(expected), head(DISPOSITION + "; filename=" + sent).fileName());
    }

    @Test
    void an_extended_file_name_is_not_looked_at() {
        var head = head(DISPOSITION + "; filename=a.txt; filename*=UTF-8''evil.txt");

        assertEquals(Optional.of("a.txt"), head.fileName());
        assertFalse(head(DISPOSITION + "; filename*=UTF-8''evil.txt").isFile());
    }

    @Test
    void encodings_that_change_nothing_are_let_pass_and_others_refused() {
        head(DISPOSITION + "|Content-Transfer-Encoding: Binary");
        head(DISPOSITION + "|Content-Transfer-Encoding: 8bit");

        assertEquals(400, refusedHead(DISPOSITION + "|Content-Transfer-Encoding: base64"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X: y",
                "Content-Disposition: attachment; name=a",
                "Content-Disposition: form-data",
                "Content-Disposition: form-data; filename=a",
                "Content-Disposition: form-data; name=a; name=b",
                "Content-Disposition: form-data; name=a; NAME=a",
                "Content-Disposition: form-data; name=a; filename=b; filename=c",
                "Content-Disposition: form-data; name=\"a",
                "Content-Disposition: form-data; name=\"a\\\"",
                "Content-Disposition: form-data; name=\"a\"b",
                "Content-Disposition: form-data; name=",
                "Content-Disposition: form-data; name = a",
                "Content-Disposition: form-data; name=a b",
                "Content-Disposition: form-data, name=a",
                "Content-Disposition: form-data; =a",
                "Content-Disposition:",
            })
    void a_part_without_a_proper_disposition_is_refused_with_400(String lines) {
        assertEquals(400, refusedHead(lines));
    }

    @Test
    void a_field_that_comes_twice_is_refused_with_400() {
        assertEquals(400, refusedHead(DISPOSITION + "|" + DISPOSITION));
        assertEquals(400, refusedHead(DISPOSITION + "|CONTENT-disposition: form-data; name=b"));
        assertEquals(400, refusedHead(DISPOSITION + "|Content-Type: a/b|Content-Type: a/b"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "; filename=\"a\rb\"",
                "; filename=\"a\nb\"",
                "; filename=\"a\0b\"",
                "; filename=\"a\u007fb\"",
                "\nX: y",
                "\rX: y",
                "|X: a\nb",
                "|X: \0",
                "|X\0: y",
                "|X : y",
                "| X: y",
                "|\tfolded",
                "|: y",
                "|X",
                "|X\n: y"
            })
    void a_head_with_controls_or_without_proper_lines_is_refused_with_400(String behind) {
        assertEquals(400, refusedHead(DISPOSITION + behind));
    }

    @Test
    void a_head_that_is_not_utf_8_is_refused_with_400() {
        var body = "--b-b\r\n" + DISPOSITION + "; filename=\"\u00fc\"\r\n\r\nx\r\n--b-b--\r\n";

        assertEquals(400, refused(request(body.getBytes(StandardCharsets.ISO_8859_1)), STANDARD));
    }

    // Bodies.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "|",
                "--b-b",
                "--b-b|",
                "--b-b-",
                "--b-c--|",
                "-b-b--|",
                "|--b-b--|",
                "preamble|--b-b--|",
                " --b-b--|",
                "--b-b --|",
                "--b-b-- |",
                "--b-b--|epilogue",
                "--b-b--||",
                "--b-b--\n",
                "--b-b--\r",
                "--b-b--|--b-b--|",
                "--b-b||x|--b-b--|",
                "--b-b|||x|--b-b--|",
                "--b-b|Content-Disposition: form-data; name=a|--b-b--|",
                "--b-b|Content-Disposition: form-data; name=a||x",
                "--b-b|Content-Disposition: form-data; name=a||x|",
                "--b-b|Content-Disposition: form-data; name=a||x|--b-",
                "--b-b|Content-Disposition: form-data; name=a||x|--b-b",
                "--b-b|Content-Disposition: form-data; name=a||x|--b-b-",
                "--b-b|Content-Disposition: form-data; name=a||x|--b-b|",
                "--b-b|Content-Disposition: form-data; name=a||x--b-b--|",
                "--b-b|Content-Disposition: form-data; name=a||x\n--b-b--\n",
                "--b-b|Content-Disposition: form-data; name=a||x|--b-bb--|",
                "--b-b|Content-Disposition: form-data; name=a||x|--b-b \r\n",
                "--b-b\nContent-Disposition: form-data; name=a\n\nx\n--b-b--\n",
                "--b-b|Content-Disposition: form-data; name=a||--b-b--|",
                "--b-b|Content-Disposition: form-data; name=a||--b-b--|x|--b-b--|",
                "--b-b|Content-Disposition: form-data; name=a|--b-bx: y||x|--b-b--|",
                "--b-b|--b-bx: y|Content-Disposition: form-data; name=a||x|--b-b--|"
            })
    void a_body_that_is_none_is_refused_with_400(String body) {
        assertEquals(400, refused(body));
    }

    @Test
    void every_body_that_is_cut_off_is_refused_with_400() {
        var body = encoded(List.of(field("a", "1"), file("f", "x", new byte[] {1, 2})));

        for (int length = 0; length < body.length - 2; length++) {
            assertEquals(400, refused(request(java.util.Arrays.copyOf(body, length)), STANDARD), "" + length);
        }
    }

    // Boundaries.

    @ParameterizedTest
    @ValueSource(
            strings = {"b", "\"b\"", "'b", "\"a b\"", "\"(a)+_,-./:=?'\"", "----WebKitFormBoundary7MA4YWxkTrZu0gW"})
    void boundaries_have_the_characters_of_the_standard(String boundary) {
        var body = "--" + boundary.replace("\"", "") + "--\r\n";

        Multipart.of(request("multipart/form-data; boundary=" + boundary, lines(body)));
    }

    @Test
    void a_boundary_has_up_to_70_characters() {
        var longest = "x".repeat(70);

        Multipart.of(request("multipart/form-data; boundary=" + longest, lines("--" + longest + "--")));
        var longer = request("multipart/form-data; boundary=x" + longest, lines("--x" + longest + "--"));
        assertEquals(400, refused(longer, STANDARD));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "; boundary=\"\"",
                "; boundary=\"b \"",
                "; boundary=\" \"",
                "; boundary=b*",
                "; boundary=\"ü\""
            })
    void a_boundary_that_is_none_is_refused_with_400(String parameter) {
        assertEquals(400, refused(request("multipart/form-data" + parameter, lines("--b--|")), STANDARD));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "multipart/mixed; boundary=b-b",
                "multipart/form-datax; boundary=b-b",
                "text/plain",
                "multipart/form-data; boundary=b-b; boundary=c",
                "multipart/form-data; boundary=",
                "multipart/form-data, boundary=b-b"
            })
    void another_content_type_is_refused_with_415(String type) {
        assertEquals(415, refused(request(type, lines("--b-b--|")), STANDARD));
    }

    @Test
    void a_body_without_a_content_type_is_refused_with_415() {
        assertEquals(415, refused(Request.post("/", Bytes.utf8("--b-b--\r\n")), STANDARD));
    }

    @Test
    void two_content_types_are_refused_with_400() {
        var twice = request(lines("--b-b--|")).addHeader("Content-Type", "multipart/form-data; boundary=c");

        assertEquals(400, refused(twice, STANDARD));
    }

    // Limits.

    @Test
    void more_parts_than_the_limit_are_refused_with_413() {
        var limits = STANDARD.parts(2);
        var two = List.of(field("a", "1"), field("b", "2"));
        var three = List.of(field("a", "1"), field("b", "2"), field("c", "3"));

        assertEquals(2, Multipart.of(request(encoded(two)), limits).parts().size());
        assertEquals(413, refused(request(encoded(three)), limits));
    }

    @Test
    void a_head_longer_than_the_limit_is_refused_with_413() {
        var limits = STANDARD.headBytes(100);
        var padding = "x".repeat(100 - DISPOSITION.length() - "\r\nX: \r\n\r\n".length());
        var fits = "--b-b|" + DISPOSITION + "|X: " + padding + "||y|--b-b--|";

        assertEquals(1, Multipart.of(request(lines(fits)), limits).parts().size());
        assertEquals(413, refused(request(lines(fits.replace("X: ", "X: x"))), limits));
    }

    @Test
    void a_head_without_an_end_is_refused_with_413() {
        assertEquals(413, refused("--b-b|X: " + "x".repeat(5000)));
    }

    @Test
    void more_fields_of_a_part_than_the_limit_are_refused_with_413() {
        var limits = STANDARD.fields(2);
        var two = "--b-b|A: b|" + DISPOSITION + "||x|--b-b--|";

        assertEquals(1, Multipart.of(request(lines(two)), limits).parts().size());
        assertEquals(413, refused(request(lines(two.replace("A: b|", "A: b|B: c|"))), limits));
    }

    @Test
    void a_field_longer_than_the_limit_is_refused_with_413_and_a_file_is_not() {
        var limits = STANDARD.valueBytes(3);
        var fits = List.of(field("a", "123"), file("f", "x", new byte[1000]));

        assertEquals(fits, Multipart.of(request(encoded(fits)), limits).parts());
        assertEquals(413, refused(request(encoded(List.of(field("a", "1234")))), limits));
    }

    @Test
    void a_body_longer_than_the_limit_is_refused_with_413() {
        var body = encoded(List.of(field("a", "1")));

        Multipart.of(request(body), STANDARD.totalBytes(body.length));
        assertEquals(413, refused(request(body), STANDARD.totalBytes(body.length - 1)));
    }

    @Test
    void limits_that_let_nothing_pass_are_refused() {
        assertThrows(IllegalArgumentException.class, () -> STANDARD.parts(0));
        assertThrows(IllegalArgumentException.class, () -> STANDARD.headBytes(63));
        assertThrows(IllegalArgumentException.class, () -> STANDARD.fields(0));
        assertThrows(IllegalArgumentException.class, () -> STANDARD.valueBytes(-1));
        assertThrows(IllegalArgumentException.class, () -> STANDARD.totalBytes(-1));
    }

    @Test
    void what_is_encoded_is_parsed() {
        var random = new Random(40);
        for (int i = 0; i < 2000; i++) {
            var parts = MultipartBodies.random(random);

            assertEquals(parts, Multipart.of(request(encoded(parts))).parts(), BOUNDARY);
        }
    }
}
