package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Texts with values of a request.
class RequestTemplateTest {
    private static Request request(String target, String host) {
        return Request.get(target).addHeader("Host", host);
    }

    private static String field(String template, Request request) {
        return RequestTemplate.of(template).field(request);
    }

    private static Optional<String> location(String template, Request request) {
        return RequestTemplate.location(template).location(request);
    }

    @ParameterizedTest
    @CsvSource({
        "no values, no values",
        "{client}, 0.0.0.0",
        "{host}, a.org",
        "{port}, 81",
        "{scheme}, http",
        "{method}, GET",
        "{path}, /a%20b",
        "{query}, ?c=d",
        "{header:X-A}, 'one, two'",
        "'{path}{query} for {host}:{port}', '/a%20b?c=d for a.org:81'",
        "'{{{host}}}', '{a.org}'",
    })
    void a_field_has_values_of_its_request(String template, String value) {
        var request = request("/a%20b?c=d", "a.org:81").addHeader("X-A", "one").addHeader("X-A", "two");
        assertEquals(value, field(template, request));
    }

    @ParameterizedTest
    @CsvSource({
        "a.org, a.org, 80",
        "A.org:8080, A.org, 8080",
        "a.org., a.org., 80",
        "'[::1]:81', '[::1]', 81",
        "'[::1]', '[::1]', 80",
        "10.0.0.1:9, 10.0.0.1, 9",
    })
    void the_host_is_without_its_port(String field, String host, String port) {
        assertEquals(host + " " + port, field("{host} {port}", request("/", field)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a;b", "a,b", "x'y", "%C3%A4.org", ".a"})
    void what_is_no_name_of_a_host_is_none(String host) {
        assertEquals("", field("{host}", request("/", host)));
        assertEquals(Optional.empty(), location("https://{host}/", request("/", host)));
    }

    @Test
    void a_field_without_any_of_its_values_is_left_out() {
        assertEquals("", field("by={tls-subject};of={header:X-A}", request("/", "a")));
        assertEquals("by=;host=a", field("by={tls-subject};host={host}", request("/", "a")));
    }

    @Test
    void a_request_without_a_name_gets_one_that_stays() {
        var named = field("{request-id}", request("/", "a"));
        assertTrue(named.matches("[0-9a-f]{32}"), named);
        assertNotEquals(named, field("{request-id}", request("/", "a")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{|unpaired",
                "a}|unpaired",
                "{host|unpaired",
                "{}|no name",
                "{header:}|no name",
                "{header:a b}|no name",
                "{a b}|no name",
            })
    void a_mistake_is_named_with_the_remedy(String template, String why) {
        var refused = assertThrows(IllegalArgumentException.class, () -> RequestTemplate.of(template));
        var message = String.valueOf(refused.getMessage());
        assertTrue(message.contains(why) && message.contains("{{"), message);
    }

    @Test
    void a_name_that_is_no_value_and_no_parameter_is_refused_with_those_that_are() {
        var template = RequestTemplate.of("{clinet}");
        var refused = assertThrows(IllegalArgumentException.class, () -> template.matching("/u/{id}"));
        assertEquals(
                "there is no value {clinet}: take one of client, client-port, host, port, scheme, method, path, query,"
                        + " request-id, tls-name, tls-subject, header:NAME, or a parameter of the path, [id]",
                refused.getMessage());
    }

    @Test
    void more_than_32_values_are_refused() {
        assertThrows(IllegalArgumentException.class, () -> RequestTemplate.of("{host}".repeat(33)));
        assertEquals("a".repeat(32), field("{host}".repeat(32), request("/", "a")));
    }

    @Test
    void a_literal_text_stands_for_itself() {
        var text = "{host} {{ }x";
        assertEquals(text, field(RequestTemplate.literal(text), request("/", "a")));
    }

    @Test
    void a_field_that_would_be_too_long_is_left_out() {
        var most = request("/", "a").addHeader("X-A", "x".repeat(RequestTemplate.MOST_BYTES));
        assertEquals("", field("{header:X-A}{header:X-A}", most));
        assertEquals(RequestTemplate.MOST_BYTES, field("{header:X-A}", most).length());
        assertEquals(Optional.empty(), location("/{header:X-A}/{header:X-A}", most));
    }

    @Test
    void parameters_of_the_path_are_those_of_the_pattern_or_of_the_route() throws Exception {
        var template = RequestTemplate.of("{id}-{rest}");
        var bound = template.matching("/u/{id}/{rest...}");
        assertEquals("7%20-a/b", bound.field(request("/u/7%20/a/b", "a")));
        var routes = Routes.of().get("/v/{id}/{rest...}", request -> Response.ok(template.field(request)));
        assertEquals("7%20-a/b", routes.handle(request("/v/7%20/a/b", "a")).text());
    }

    @Test
    void two_with_the_same_text_are_equal() {
        assertEquals(RequestTemplate.of("{host}"), RequestTemplate.of("{host}"));
        assertNotEquals(RequestTemplate.of("{host}"), RequestTemplate.of("{port}"));
        assertNotEquals(RequestTemplate.of("{id}").matching("/{id}"), RequestTemplate.of("{id}"));
        assertEquals("{{{host}", RequestTemplate.of("{{{host}").toString());
    }

    static List<Arguments> subjects() {
        return List.of(
                Arguments.of("CN=a", "CN=a", "CN=a"),
                Arguments.of("a\r\nb\0", "a%0D%0Ab%00", "a%0D%0Ab%00"),
                Arguments.of("a\"b\\", "a\"b\\", "a\\\"b\\\\"),
                Arguments.of("\u00e4\u20ac\u2028", "%C3%A4%E2%82%AC%E2%80%A8", "%C3%A4%E2%82%AC%E2%80%A8"),
                Arguments.of("\ud83d\ude00", "%F0%9F%98%80", "%F0%9F%98%80"),
                Arguments.of("\ud83d", "?", "?"),
                Arguments.of("\u007f", "%7F", "%7F"));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void whatever_a_certificate_says_stays_in_its_field(String subject, String plain, String quoted) {
        for (boolean isQuoted : new boolean[] {false, true}) {
            var piece = new RequestTemplate.Piece("", "tls-subject", RequestValue.TLS_SUBJECT, isQuoted, false);
            var field = new StringBuilder();
            RequestTemplate.appendToField(field, subject, piece);
            assertEquals(isQuoted ? quoted : plain, field.toString());
        }
    }

    // Locations.

    @ParameterizedTest
    @CsvSource({
        "'https://{host}{path}{query}', /a%20b?c=d, https://a.org/a%20b?c=d",
        "'{scheme}://{host}:{port}{path}', /, http://a.org:81/",
        "'https://www.b.org:{port}/', /, https://www.b.org:81/",
        "'/x{path}{query}', '/a;b?c', '/x/a;b?c'",
        "'/in?next={path}{query}', '/a&b=1?c=d&e', '/in?next=/a%26b%3D1%3Fc%3Dd%26e'",
        "'/in?by={method}&a={client}', /a, '/in?by=GET&a=0.0.0.0'",
        "'/#{path}', /a?b, '/#/a'",
        "'{path}{query}&x={path}', /a?b, '/a?b&x=/a'",
    })
    void a_location_escapes_what_would_end_its_part(String template, String target, String expected) {
        assertEquals(Optional.of(expected), location(template, request(target, "a.org:81")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//b.org",
                "b.org",
                "ftp://b.org/",
                "https://{host}.b.org/",
                "https://{header:X-A}/",
                "https://{host}{method}",
                "https://b.org:{client-port}/",
                "https://{client}/",
                "{query}",
                "/a b",
                "/\\b",
                "/a\"",
                "/{{a}}",
            })
    void a_location_that_a_value_could_lead_to_another_host_is_refused(String template) {
        assertThrows(IllegalArgumentException.class, () -> RequestTemplate.location(template));
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", "."})
    void no_value_is_a_step_upwards(String value) {
        var request = request("/", "a").addHeader("X-A", value);
        assertEquals(Optional.empty(), location("/a/{header:X-A}/b", request));
        assertEquals(Optional.empty(), location("/a/{header:X-A}", request));
        assertEquals(Optional.of("/a/x" + value), location("/a/x{header:X-A}", request));
        assertEquals(Optional.of("/a?b=/" + value), location("/a?b=/{header:X-A}", request));
    }

    @Test
    void a_location_is_made_of_a_location_only() {
        var template = RequestTemplate.of("/a");
        assertThrows(IllegalStateException.class, () -> template.location(request("/", "a")));
        assertEquals(List.of(), template.parameters());
    }
}
