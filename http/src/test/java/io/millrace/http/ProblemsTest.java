package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Errors as problem details, RFC 9457.
class ProblemsTest {
    private static final HttpHandler APP = Routes.of()
            .get("/none", _ -> Response.status(404).addHeader("Vary", "Origin"))
            .get("/taken", _ -> {
                throw new HttpError(409, "room 7 has it").detail("there is one \"of\" <this> name\n");
            })
            .get("/fields", _ -> {
                Checks.that(false, "/name", "is empty")
                        .and(true, "/owner", "is unknown")
                        .and(false, "/rooms/0/größe %", "is <b>")
                        .and(false, "page", "is less than 1")
                        .orThrow();
                return Response.ok("?");
            })
            .get("/later", _ -> Response.later(CompletableFuture.failedFuture(new HttpError(409, "x").detail("late"))))
            .get("/broken", _ -> {
                throw new IllegalStateException("secret");
            });

    private static String answer(String path, String accept) {
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), HttpSettings.standard().errors(ErrorResponses.problems()), APP)) {
            var peer = network.connect(80).send("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + accept + "\r\n");
            network.run();
            return peer.received();
        }
    }

    private static String body(String answer) {
        return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }

    @Test
    void an_error_is_its_phrase_and_status() {
        var answer = answer("/unknown", "");
        assertTrue(answer.startsWith("HTTP/1.1 404 "), answer);
        assertTrue(answer.contains("Content-Type: application/problem+json\r\n"), answer);
        assertEquals("{\"title\":\"Not Found\",\"status\":404}", body(answer));
    }

    @Test
    void what_a_handler_says_for_the_peer_is_said_and_nothing_else_is() {
        assertEquals(
                "{\"title\":\"Conflict\",\"status\":409,\"detail\":\"there is one \\\"of\\\" <this> name\\u000a\"}",
                body(answer("/taken", "")));
        assertEquals("{\"title\":\"Conflict\",\"status\":409,\"detail\":\"late\"}", body(answer("/later", "")));
        assertEquals("{\"title\":\"Internal Server Error\",\"status\":500}", body(answer("/broken", "")));
        assertEquals("{\"title\":\"Bad Request\",\"status\":400}", body(answer("/%zz", "")));
    }

    @Test
    void all_fields_that_are_wrong_are_told_of_in_one_answer() {
        var errors = "\"errors\":[{\"detail\":\"is empty\",\"pointer\":\"#/name\"},"
                + "{\"detail\":\"is <b>\",\"pointer\":\"#/rooms/0/gr%C3%B6%C3%9Fe%20%25\"},"
                + "{\"detail\":\"is less than 1\",\"parameter\":\"page\"}]";
        assertEquals(
                "{\"title\":\"Unprocessable Content\",\"status\":422," + errors + "}", body(answer("/fields", "")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*/* | application/problem+json",
                "application/json | application/json",
                "application/* | application/problem+json",
                "text/html,application/xhtml+xml,*/*;q=0.8 | text/html; charset=utf-8",
                "text/* | text/html; charset=utf-8",
                "text/plain, text/html;q=0.5 | text/plain; charset=utf-8",
                "TEXT/PLAIN | text/plain; charset=utf-8",
                "application/json;q=0.5, application/problem+json;q=0.4 | application/json",
                "*/*, application/problem+json;q=0 | application/json",
                "image/png | application/problem+json",
                "text/html;q=0 | application/problem+json",
                "text/html;q=7, ;;, / | application/problem+json",
            })
    void the_form_is_what_the_request_accepts(String accept, String form) {
        var answer = answer("/unknown", "Accept: " + accept + "\r\n");
        assertTrue(answer.contains("Content-Type: " + form + "\r\n"), answer);
        assertTrue(answer.contains("Vary: Accept\r\n"), answer);
    }

    @Test
    void words_are_escaped_in_a_page() {
        var page = body(answer("/taken", "Accept: text/html\r\n"));
        assertTrue(page.contains("<h1>Conflict</h1><p>there is one &quot;of&quot; &lt;this&gt; name\n</p>"), page);
        var fields = body(answer("/fields", "Accept: text/html\r\n"));
        assertTrue(fields.contains("<li>/name is empty</li>"), fields);
        assertFalse(fields.contains("<b>"), fields);
    }

    @Test
    void a_text_names_every_field() {
        assertEquals(
                "Unprocessable Content\n/name is empty\n/rooms/0/größe % is <b>\npage is less than 1\n".length(),
                body(answer("/fields", "Accept: text/plain\r\n"))
                        .replaceAll("[^\\x00-\\x7f]{4}", "öß")
                        .length());
    }

    @Test
    void what_the_response_depended_on_before_stays() {
        var answer = answer("/none", "");
        assertTrue(answer.contains("Vary: Origin\r\n"), answer);
        assertTrue(answer.contains("Vary: Accept\r\n"), answer);
    }

    // What an error carries.

    @Test
    void checks_that_all_pass_go_on() {
        Checks.that(true, "/a", "is wrong").and(true, "/b", "is wrong").orThrow();
    }

    @Test
    void checks_that_fail_are_one_error() {
        var checks = Checks.that(false, "/a", "x").and(true, "/b", "y").and(false, "/c", "z");
        var error = assertThrows(HttpError.class, checks::orThrow);
        assertEquals(422, error.status());
        assertEquals(List.of(new FieldError("/a", "x"), new FieldError("/c", "z")), error.fields());
        assertEquals(error.fields(), checks.failed());
    }

    @Test
    void an_error_changes_into_another() {
        var error = new HttpError(409, "for the log");
        var told = error.detail("for the peer").field("/a", "is wrong");
        assertEquals(Optional.empty(), error.detail());
        assertEquals(List.of(), error.fields());
        assertEquals("for the log", told.getMessage());
        assertEquals(Optional.of("for the peer"), told.detail());
        assertEquals(409, told.status());
    }

    @ParameterizedTest
    @ValueSource(ints = {399, 600, 0, -1})
    void a_status_that_is_no_error_is_refused(int status) {
        assertThrows(IllegalArgumentException.class, () -> new HttpError(status, ""));
    }
}
