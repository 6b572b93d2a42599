package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class FieldKindTest {
    @Test
    void pseudo_fields_are_known_by_their_names() {
        assertKind(FieldKind.METHOD, ":method");
        assertKind(FieldKind.SCHEME, ":scheme");
        assertKind(FieldKind.AUTHORITY, ":authority");
        assertKind(FieldKind.PATH, ":path");
        assertKind(FieldKind.STATUS, ":status");
        assertKind(FieldKind.PROTOCOL, ":protocol");
    }

    @Test
    void other_names_with_a_colon_are_invalid() {
        for (var name : List.of(":", ":Method", ":host", "::method", ":method ", "a:b", "a:"))
            assertKind(FieldKind.INVALID, name);
    }

    @Test
    void fields_that_http2_interprets_are_told_apart() {
        assertKind(FieldKind.HOST, "host");
        assertKind(FieldKind.COOKIE, "cookie");
        assertKind(FieldKind.CONTENT_LENGTH, "content-length");
        assertKind(FieldKind.EXPECT, "expect");
        assertKind(FieldKind.PRIORITY, "priority");
        assertKind(FieldKind.OTHER, "accept");
    }

    @Test
    void fields_about_a_connection_are_told_apart() {
        for (var name : List.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"))
            assertKind(FieldKind.CONNECTION, name);
    }

    @Test
    void te_is_for_trailers_alone() {
        assertEquals(FieldKind.TE, FieldKind.of("te", "trailers"));
        for (var value : List.of("", "Trailers", "trailers, gzip", "gzip"))
            assertEquals(FieldKind.INVALID, FieldKind.of("te", value), value);
    }

    @Test
    void a_name_is_a_token_in_small_letters() {
        for (var name :
                List.of("", "Accept", "accepT", "a b", " a", "a\0", "a\r", "a\u007f", "\u00e4", "a,b", "a\u0080"))
            assertKind(FieldKind.INVALID, name);
    }

    @Test
    void a_value_has_no_control_character() {
        for (int c = 0; c <= 0xff; c++) {
            boolean isControl = (c < 0x20 && c != '\t') || c == 0x7f;
            var expected = isControl ? FieldKind.INVALID : FieldKind.OTHER;
            assertEquals(expected, FieldKind.of("a", "b" + (char) c + "c"), "character " + c);
        }
    }

    @Test
    void a_value_has_no_blank_at_its_ends() {
        for (var value : List.of(" a", "a ", "\ta", "a\t", " ", "\t"))
            assertEquals(FieldKind.INVALID, FieldKind.of("a", value));
        assertEquals(FieldKind.OTHER, FieldKind.of("a", "b \t c"));
    }

    @Test
    void a_value_is_judged_for_pseudo_fields_too() {
        assertEquals(FieldKind.INVALID, FieldKind.of(":path", "/a\r\nb"));
    }

    @Test
    void a_field_with_the_name_of_another_is_judged_alike() {
        var names = List.of("te", ":path", "a", "A", "connection", "");
        var values = List.of("trailers", "x", "", " x", "a\0");
        for (var name : names) {
            for (var first : values) {
                for (var value : values) {
                    var other = new HpackField(new HpackField(name, first), value);
                    assertEquals(new HpackField(name, value).kind, other.kind, name + ": " + first + ", " + value);
                }
            }
        }
    }

    private static void assertKind(FieldKind kind, String name) {
        assertEquals(kind, FieldKind.of(name, "x"), name);
    }
}
