package io.millrace.proxy.configuration.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Request;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whatever a variable of the environment has, it is one text in its place: never a key, a list, a comment, another
/// variable or a value of a request; in an included file, too.
class VariablesTest {
    private static final String MAIN = """
            listeners: {web: {address: ":80"}}
            include: [routes.yaml]
            """;

    private static final String ROUTES = """
            routes:
              all:
                respond: {body: "${VALUE}"}
              or:
                match: {path: /or}
                respond:
                  body: "${MISSING:-}${VALUE}"
              plain:
                match: {path: /plain}
                respond:
                  body: ${VALUE}
            """;

    private static Configuration good(Path folder, String routes, String value) throws IOException {
        var main = folder.resolve("proxy.yaml");
        Files.writeString(main, MAIN);
        Files.writeString(folder.resolve("routes.yaml"), routes);
        var checked = ConfigurationFile.read(main, Map.of("VALUE", value, "INNER", "inner"));
        return assertInstanceOf(CheckedFile.Good.class, checked, checked::toString)
                .configuration();
    }

    private static ActionSettings action(Configuration configuration, String route) {
        return Objects.requireNonNull(configuration.routes().get(route)).action();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\nlisteners: {}",
                "a\r\n  b: c",
                "key: value",
                "[1, 2]",
                "{a: b}",
                "# no comment",
                "a # b",
                "\"quoted\" 'twice'",
                "!!binary aGVsbG8=",
                "!tag",
                "&anchor *alias",
                "- item",
                "--- \n...",
                "${INNER}",
                "$${INNER}",
                "${INNER:-x}",
                "back\\slash\\n",
                "true",
                "7",
                "null",
                "\0",
                "\u00e4\u2028\ud83d\ude00",
            })
    void a_value_stays_a_text_as_it_is(String value, @TempDir Path folder) throws IOException {
        var configuration = good(folder, ROUTES, value);
        for (var route : new String[] {"all", "or", "plain"}) {
            var respond = assertInstanceOf(ActionSettings.Respond.class, action(configuration, route));
            assertEquals(value, respond.body());
        }
        assertEquals(3, configuration.routes().size());
        assertEquals(1, configuration.listeners().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{host}", "{{host}}", "{", "}", "{header:Authorization}", "{\"group\": \"a\"}"})
    void a_value_has_no_values_of_a_request(String value, @TempDir Path folder) throws IOException {
        var configuration = good(folder, """
                routes:
                  all:
                    upstream: app
                    request-headers: {set: {X-A: "${VALUE} of {host}"}}
                upstreams: {app: {endpoints: [10.0.0.1:80]}}
                """, value);
        var forward = assertInstanceOf(ActionSettings.Forward.class, action(configuration, "all"));
        var request = Request.get("/").addHeader("Host", "a").addHeader("Authorization", "secret");
        assertEquals(
                value + " of a", forward.request().added(request).first("X-A").orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nX-B: c", "a\nb", "a\0b", "\u2028", "\u20ac"})
    void a_value_that_no_field_can_have_is_one_problem_in_its_place(String value) {
        var text = """
                listeners: {web: {address: ":80"}}
                upstreams: {app: {endpoints: [10.0.0.1:80]}}
                routes: {all: {upstream: app, response-headers: {set: {X-A: "${VALUE}"}}}}
                """;
        var checked = ConfigurationFile.parse("proxy.yaml", Path.of("/"), text, Map.of("VALUE", value));
        var bad = assertInstanceOf(CheckedFile.Bad.class, checked, checked::toString);
        assertEquals(1, bad.problems().size(), bad.problems()::toString);
        var problem = bad.problems().getFirst().toString();
        assertTrue(problem.startsWith("proxy.yaml:3:61: routes.all.response-headers.set.X-A: "), problem);
        assertTrue(problem.chars().allMatch(c -> c >= ' ' && c < 0x7f), problem);
    }
}
