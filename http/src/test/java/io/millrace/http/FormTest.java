package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FormTest {
    private static final String MEDIA_TYPE = "application/x-www-form-urlencoded";

    private static Request request(String body) {
        return request(Bytes.utf8(body));
    }

    private static Request request(Bytes body) {
        return Request.post("/", body).addHeader("Content-Type", MEDIA_TYPE);
    }

    private static List<String> pairs(Form form) {
        var pairs = new ArrayList<String>();
        form.forEach((name, value) -> pairs.add(name + "→" + value));
        return pairs;
    }

    private static List<String> parsed(String body) {
        return pairs(Form.of(request(body)));
    }

    private static int refused(Request request, Form.Limits limits) {
        return assertThrows(HttpError.class, () -> Form.of(request, limits)).status();
    }

    private static int refused(Request request) {
        return refused(request, Form.Limits.standard());
    }

    @Test
    void fields_keep_their_order() {
        assertEquals(List.of("b→1", "a→2", "b→3"), parsed("b=1&a=2&b=3"));
    }

    @Test
    void escapes_are_decoded_once_and_plus_is_a_space() {
        assertEquals(List.of("a b→c+d", "ü→%20&=", "€→\u0000"), parsed("a+b=c%2Bd&%C3%BC=%2520%26%3d&%e2%82%AC=%00"));
    }

    @Test
    void bytes_in_utf_8_need_no_escape() {
        assertEquals(List.of("ü→€"), parsed("ü=€"));
    }

    @Test
    void a_field_may_lack_an_equals_sign_a_value_or_a_name() {
        assertEquals(List.of("a→", "b→", "→c", "→", "d→=e="), parsed("a&b=&=c&=&d==e="));
    }

    @Test
    void empty_fields_are_none() {
        assertEquals(List.of("a→1", "b→2"), parsed("&&a=1&&&b=2&"));
        assertEquals(List.of(), parsed(""));
        assertEquals(List.of(), parsed("&&&"));
    }

    @Test
    void a_field_is_found_by_its_name() {
        var form = Form.of(request("a=1&b=2&a=3&A=4"));

        assertEquals(Optional.of("1"), form.first("a"));
        assertEquals(List.of("1", "3"), form.all("a"));
        assertEquals(Optional.empty(), form.first("c"));
        assertEquals(List.of(), form.all("c"));
        assertTrue(form.has("b"));
        assertFalse(form.has("1"));
        assertEquals(4, form.size());
    }

    @Test
    void a_filter_and_a_handler_may_both_look() {
        var request = request("a=1");

        assertEquals(pairs(Form.of(request)), pairs(Form.of(request)));
        assertEquals(3, request.body().remaining());
    }

    @Test
    void values_are_not_shown() {
        assertFalse(Form.of(request("password=secret")).toString().contains("secret"));
    }

    // What is refused.

    @ParameterizedTest
    @ValueSource(strings = {"a=%", "a=%2", "a=%zz", "%=b", "a=%%20", "a=%2&b=0", "a=%u0041", "a=% 41", "%4=1", "a=%+1"})
    void an_escape_that_is_none_is_refused_with_400(String body) {
        assertEquals(400, refused(request(body)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=%FF", "%C3=b", "a=%C0%80", "a=%ED%A0%80", "a=%C3&b=%BC"})
    void what_is_not_utf_8_is_refused_with_400(String body) {
        assertEquals(400, refused(request(body)));
    }

    @Test
    void bytes_that_are_not_utf_8_are_refused_with_400() {
        assertEquals(400, refused(request(Bytes.of((byte) 'a', (byte) '=', (byte) 0xff))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "multipart/form-data",
                "application/x-www-form-urlencoded/",
                "application/x-www-form-urlencoded2",
                "application/x-www-form-urlencoded; charset=iso-8859-1",
                "application/x-www-form-urlencoded, text/plain",
                "application/x-www-form-urlencoded; charset",
                "x"
            })
    void another_content_type_is_refused_with_415(String type) {
        assertEquals(415, refused(Request.post("/", Bytes.utf8("a=b")).addHeader("Content-Type", type)));
    }

    @Test
    void a_body_without_a_content_type_is_refused_with_415() {
        assertEquals(415, refused(Request.post("/", Bytes.utf8("a=b"))));
    }

    @Test
    void two_content_types_are_refused_with_400() {
        assertEquals(400, refused(request("a=b").addHeader("Content-Type", MEDIA_TYPE)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Application/X-WWW-Form-URLencoded",
                "application/x-www-form-urlencoded; charset=UTF-8",
                "application/x-www-form-urlencoded;charset=\"utf-8\"",
                "application/x-www-form-urlencoded ; a=b ;; c=\"d;e\""
            })
    void the_content_type_may_be_spelled_in_any_way(String type) {
        assertEquals(
                1,
                Form.of(Request.post("/", Bytes.utf8("a=b")).addHeader("Content-Type", type))
                        .size());
    }

    // Limits.

    @Test
    void more_fields_than_the_limit_are_refused_with_413() {
        var limits = Form.Limits.standard().fields(2);

        assertEquals(2, Form.of(request("a=1&b=2&"), limits).size());
        assertEquals(413, refused(request("a=1&b=2&c"), limits));
    }

    @Test
    void a_name_longer_than_the_limit_is_refused_with_413() {
        var limits = Form.Limits.standard().nameBytes(4);

        assertEquals(1, Form.of(request("%C3%BC%C3%BC=12345"), limits).size());
        assertEquals(413, refused(request("%C3%BC%C3%BCa=1"), limits));
    }

    @Test
    void a_value_longer_than_the_limit_is_refused_with_413() {
        var limits = Form.Limits.standard().valueBytes(4);

        assertEquals(1, Form.of(request("abcde=%C3%BC%C3%BC"), limits).size());
        assertEquals(413, refused(request("a=%C3%BC%C3%BC+"), limits));
    }

    @Test
    void limits_that_let_nothing_pass_are_refused() {
        var limits = Form.Limits.standard();

        assertThrows(IllegalArgumentException.class, () -> limits.fields(0));
        assertThrows(IllegalArgumentException.class, () -> limits.nameBytes(0));
        assertThrows(IllegalArgumentException.class, () -> limits.valueBytes(-1));
    }

    // Properties.

    @Test
    void what_another_one_encodes_is_decoded() {
        var random = new Random(30);
        for (int i = 0; i < 2000; i++) {
            var expected = new ArrayList<String>();
            var body = new ArrayList<String>();
            for (int fields = random.nextInt(6); fields > 0; fields--) {
                var name = text(random);
                var value = text(random);
                expected.add(name + "→" + value);
                body.add(encoded(name) + "=" + encoded(value));
            }
            assertEquals(expected, parsed(String.join("&", body)));
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String text(Random random) {
        var text = new StringBuilder();
        for (int length = random.nextInt(12); length > 0; length--) {
            int c = random.nextInt(random.nextBoolean() ? 0x80 : Character.MAX_CODE_POINT + 1);
            if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) text.appendCodePoint(c);
        }
        return text.toString();
    }

    @Test
    void any_bytes_are_a_form_or_refused() {
        var random = new Random(31);
        for (int i = 0; i < 20_000; i++) {
            var body = new byte[random.nextInt(30)];
            for (int at = 0; at < body.length; at++) {
                body[at] = (byte) (random.nextInt(8) == 0 ? random.nextInt(256) : "%&=+2fa".charAt(random.nextInt(7)));
            }
            try {
                Form.of(request(Bytes.of(body)));
            } catch (HttpError e) {
                assertEquals(400, e.status());
            }
        }
    }
}
