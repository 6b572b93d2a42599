package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests and responses as values, without a server.
class RequestTest {
    @Test
    void a_handler_needs_no_server() throws Exception {
        HttpHandler app = request -> request.path().equals("/") ? Response.ok("hello") : Response.status(404);
        assertEquals("hello", app.handle(Request.get("/")).text());
        assertEquals(404, app.handle(Request.get("/other")).status());
    }

    @ParameterizedTest
    @CsvSource({
        "/a/./b/../c, /a/c",
        "//a///b//,   /a/b/",
        "/%7Euser,    /~user",
        "/a%2dB,      /a-B",
        "/a%c3%a9,    /a%C3%A9",
        "/a/..,       /",
        "/a/.,        /a/",
        "/...,        /...",
        "/.well-known/x, /.well-known/x",
    })
    void a_path_has_one_form(String target, String path) {
        assertEquals(path, Request.get(target).path());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", "/..", "/%2e%2e/x", "/%2f", "/%5c", "/%00", "/%zz", "/a b", "/a\r\nX: y", "ftp://a/"})
    void a_target_that_may_not_be_sent_is_refused(String target) {
        assertThrows(IllegalArgumentException.class, () -> Request.get(target));
    }

    @Test
    void parameters_are_decoded() {
        var request = Request.get("/?a=1&b=x%20y+z&c&a=2&%64=4");
        assertEquals(Optional.of("1"), request.parameter("a"));
        assertEquals(Optional.of("x y z"), request.parameter("b"));
        assertEquals(Optional.of(""), request.parameter("c"));
        assertEquals(Optional.of("4"), request.parameter("d"));
        assertEquals(Optional.empty(), request.parameter("e"));
        assertEquals(List.of("1", "2"), request.parameters("a"));
        assertEquals(List.of(), request.parameters("e"));
    }

    @Test
    void a_field_is_replaced_added_or_left_out() {
        var request = Request.get("/").addHeader("X-User", "admin").addHeader("X-User", "root");
        assertEquals(List.of("admin", "root"), request.headers("x-user"));
        assertEquals(List.of("ann"), request.setHeader("x-user", "ann").headers("X-User"));
        assertEquals(List.of(), request.removeHeader("X-USER").headers("X-User"));
        assertEquals(List.of("admin", "root"), request.headers("X-User"));
        var response = Response.ok("").addHeader("Vary", "Origin").addHeader("Vary", "Cookie");
        assertEquals(List.of("Origin", "Cookie"), response.headers().all("Vary"));
        assertEquals(List.of("*"), response.setHeader("vary", "*").headers().all("Vary"));
        assertEquals(List.of(), response.removeHeader("VARY").headers().all("Vary"));
    }

    /// Backends that take the one for the other would see both.
    @Test
    void a_field_that_is_replaced_is_so_with_either_hyphen() {
        var request = Request.get("/").addHeader("X_User", "admin");
        assertEquals(List.of(), request.setHeader("X-User", "ann").headers("X_User"));
        assertEquals(List.of(), request.removeHeader("X-User").headers("X_User"));
    }

    @Test
    void a_response_has_one_media_type() {
        var thrown = assertThrows(
                IllegalArgumentException.class, () -> Response.ok("").addHeader("Content-Type", "text/html"));
        assertTrue(String.valueOf(thrown.getMessage()).contains("use type() or setHeader()"), thrown::getMessage);
        var html = Response.ok("").setHeader("content-type", "text/html");
        assertEquals(List.of("text/html"), html.headers().all("Content-Type"));
    }

    @Test
    void a_body_goes_with_any_status() {
        var refused = Response.jsonText("{}").withStatus(422);
        assertEquals(422, refused.status());
        assertEquals("{}", refused.text());
        assertEquals(Optional.of("application/json"), refused.header("Content-Type"));
        assertEquals("a,b", Response.of(201, "text/csv", "a,b").text());
        assertEquals("hello", Response.ok("hello").withStatus(202).text());
        assertThrows(IllegalArgumentException.class, () -> Response.ok("").withStatus(100));
        assertThrows(
                IllegalArgumentException.class, () -> Response.jsonText("{}").withStatus(600));
    }

    @Test
    void a_body_can_be_read_more_than_once_by_more_than_one_request() {
        var body = Bytes.utf8("hello");
        assertEquals("hello", Request.post("/", body).body().readUtf8(5));
        assertEquals("hello", Request.post("/", body).body().readUtf8(5));
    }

    @Test
    void an_uri_becomes_a_host() {
        assertEquals(
                Optional.of("example.org:8080"),
                Request.get("http://example.org:8080/x?y").header("host"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nSet-Cookie: x", "a\nb", "a\u0000", "a\u007f", "\u20ac"})
    void a_value_that_would_break_a_message_is_refused(String value) {
        assertThrows(IllegalArgumentException.class, () -> Response.ok("").addHeader("X", value));
        assertThrows(IllegalArgumentException.class, () -> Request.get("/").addHeader("X", value));
        assertThrows(IllegalArgumentException.class, () -> Response.ok("").type(value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:", "a\r\n", "\u00e9", "("})
    void a_name_that_is_none_is_refused(String name) {
        assertThrows(IllegalArgumentException.class, () -> Response.ok("").addHeader(name, "x"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length", "transfer-encoding", "CONNECTION"})
    void what_is_the_servers_business_cannot_be_set(String name) {
        var refusal = assertThrows(
                IllegalArgumentException.class, () -> Response.ok("").addHeader(name, "1"));
        assertTrue(String.valueOf(refusal.getMessage()).contains(name), refusal::getMessage);
    }

    @Test
    void fields_are_found_whatever_their_case() {
        var response = Response.ok("x").addHeader("X-One", "1").addHeader("x-ONE", "2");
        assertEquals(Optional.of("1"), response.header("x-one"));
        assertEquals(java.util.List.of("1", "2"), response.headers().all("X-One"));
    }

    @Test
    void a_media_type_is_replaced() {
        var response = Response.ok("x").type("text/csv");
        assertEquals(java.util.List.of("text/csv"), response.headers().all("content-type"));
    }
}
