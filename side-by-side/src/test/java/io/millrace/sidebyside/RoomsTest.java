package io.millrace.sidebyside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// JSON, routes, validation and errors.
@Tag("slow")
@ExtendWith(EndsChildren.class)
class RoomsTest {
    static List<Side> sides() {
        return Row.ROOMS.sides();
    }

    @ParameterizedTest
    @MethodSource("sides")
    void rooms_are_made_read_changed_and_removed_and_what_is_wrong_is_said(Side side) throws Exception {
        try (var program = Program.start(Row.ROOMS, side, "0");
                var browser = new Browser(program.uri())) {
            assertLifeOfARoom(browser);
            assertRefusals(browser);
        }
    }

    private static void assertLifeOfARoom(Browser browser) {
        assertJson(200, "[]", browser.get("/rooms"));
        var made = browser.sendJson("POST", "/rooms", "{\"name\":\"blue\",\"seats\":3}");
        assertJson(201, "{\"id\":1,\"name\":\"blue\",\"seats\":3}", made);
        assertEquals("/rooms/1", made.headers().firstValue("Location").orElse(""));
        browser.sendJson("POST", "/rooms", "{\"name\":\"green\",\"seats\":1}");

        assertEquals(
                200,
                browser.sendJson("PUT", "/rooms/1", "{\"name\":\"red\",\"seats\":4}")
                        .statusCode());
        var red = "{\"id\":1,\"name\":\"red\",\"seats\":4}";
        assertJson(200, red, browser.get("/rooms/1"));
        assertJson(200, "[" + red + ",{\"id\":2,\"name\":\"green\",\"seats\":1}]", browser.get("/rooms"));

        assertEquals(204, browser.send("DELETE", "/rooms/1", "").statusCode());
        assertEquals(404, browser.send("DELETE", "/rooms/1", "").statusCode());
    }

    private static void assertRefusals(Browser browser) {
        var invalid = browser.sendJson("POST", "/rooms", "{\"name\":\" \",\"seats\":0}");
        // Javalin's own validation says 400, that of the others 422.
        assertTrue(Set.of(400, 422).contains(invalid.statusCode()), invalid::toString);
        assertTrue(mediaType(invalid).contains("json"), () -> mediaType(invalid));
        assertTrue(invalid.body().contains("is empty") && invalid.body().contains("is less than 1"), invalid::body);

        assertEquals(400, browser.sendJson("POST", "/rooms", "{\"name\":").statusCode());
        var missing = browser.get("/rooms/7", "Accept", "application/json");
        assertEquals(404, missing.statusCode());
        assertTrue(missing.body().contains("there is no such room"), missing::body);
        assertEquals(
                404,
                browser.sendJson("PUT", "/rooms/7", "{\"name\":\"a\",\"seats\":1}")
                        .statusCode());
        assertTrue(Set.of(400, 404).contains(browser.get("/rooms/seven").statusCode()));
    }

    @Test
    void the_tests_in_go_pass() throws Exception {
        GoPrograms.run("go", "test", "-vet=off", GoPrograms.QUICKLY, "./" + Row.ROOMS.folder());
    }

    @Test
    void programs_in_go_are_formatted_as_gofmt_does() throws Exception {
        assertEquals("", GoPrograms.run("gofmt", "-l", "."));
    }

    private static void assertJson(int status, String json, HttpResponse<String> response) {
        assertEquals(status, response.statusCode(), response::body);
        assertTrue(mediaType(response).startsWith("application/json"), () -> mediaType(response));
        assertEquals(json, response.body().strip());
    }

    private static String mediaType(HttpResponse<?> response) {
        return response.headers().firstValue("Content-Type").orElse("none");
    }
}
