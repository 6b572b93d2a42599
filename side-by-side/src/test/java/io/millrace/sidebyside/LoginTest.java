package io.millrace.sidebyside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A user who logs in stays logged in until the logout.
@Tag("slow")
@ExtendWith(EndsChildren.class)
class LoginTest {
    static List<Side> sides() {
        return Row.LOGIN.sides();
    }

    @ParameterizedTest
    @MethodSource("sides")
    void a_session_begins_with_a_password_and_ends_with_the_logout(Side side) throws Exception {
        try (var program = Program.start(Row.LOGIN, side, "0");
                var browser = new Browser(program.uri())) {
            assertEquals(401, browser.get("/me").statusCode());
            assertEquals(401, login(browser, "ada", "byron").statusCode());
            assertEquals(401, login(browser, "bob", "").statusCode());

            var first = cookie(login(browser, "ada", "lovelace"));
            var me = browser.get("/me", "Cookie", first);
            assertEquals(200, me.statusCode());
            assertEquals("ada", me.body());

            var second = cookie(login(browser, "ada", "lovelace", "Cookie", first));
            assertNotEquals(first, second, "the id of a session before its login is not that after it");
            assertEquals(
                    204, browser.send("POST", "/logout", "", "Cookie", second).statusCode());
            assertEquals(401, browser.get("/me", "Cookie", second).statusCode());
        }
    }

    private static HttpResponse<String> login(Browser browser, String user, String password, String... cookie) {
        var form = "user=" + user + "&password=" + password;
        var fields = new ArrayList<>(List.of("Content-Type", "application/x-www-form-urlencoded"));
        fields.addAll(List.of(cookie));
        return browser.send("POST", "/login", form, fields.toArray(String[]::new));
    }

    private static String cookie(HttpResponse<String> response) {
        assertEquals(204, response.statusCode(), response::body);
        // A server may set the id before the login, too: the last one counts.
        var set = response.headers().allValues("Set-Cookie").getLast();
        assertTrue(set.contains("HttpOnly") && set.contains("SameSite=Lax"), set);
        return set.replaceAll(";.*", "");
    }
}
