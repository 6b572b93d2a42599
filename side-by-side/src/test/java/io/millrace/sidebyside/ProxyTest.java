package io.millrace.sidebyside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A reverse proxy: `/api` goes to two servers in turn, without that prefix, everything else to a third; an
/// unhealthy server gets no requests.
@Tag("slow")
@ExtendWith(EndsChildren.class)
class ProxyTest {
    private Backend one;
    private Backend two;
    private Backend web;

    static List<Side> sides() {
        return Row.PROXY.sides();
    }

    @BeforeEach
    void start() throws Exception {
        one = new Backend("one");
        two = new Backend("two");
        web = new Backend("web");
    }

    @AfterEach
    void stop() {
        one.close();
        two.close();
        web.close();
    }

    @ParameterizedTest
    @MethodSource("sides")
    void a_rule_chooses_an_upstream_and_who_is_unwell_is_left_out(Side side) throws Exception {
        try (var program = Program.start(Row.PROXY, side, "0", one.uri(), two.uri(), web.uri());
                var browser = new Browser(program.uri())) {
            assertEquals("web /page?n=1 for 127.0.0.1", browser.get("/page?n=1").body());
            var api = List.of(
                    browser.get("/api/rooms").body(), browser.get("/api/rooms").body());
            assertEquals(Set.of("one /rooms for 127.0.0.1", "two /rooms for 127.0.0.1"), Set.copyOf(api));

            one.feel(false);
            awaitAnswers(browser, Set.of("two"));
            two.feel(false);
            awaitAnswers(browser, Set.of("503"));
            assertTrue(browser.get("/page").body().startsWith("web "), "the other upstream is well");

            one.feel(true);
            two.feel(true);
            awaitAnswers(browser, Set.of("one", "two"));
        }
    }

    /// Until these and no others answer several requests in a row.
    private static void awaitAnswers(Browser browser, Set<String> expected) {
        var answers = new HashSet<String>();
        while (!answers.equals(expected)) {
            answers.clear();
            for (int i = 0; i < 4; i++) answers.add(answer(browser));
        }
    }

    private static String answer(Browser browser) {
        var response = browser.get("/api/rooms");
        return response.statusCode() == 200 ? response.body().replaceFirst(" .*", "") : "" + response.statusCode();
    }
}
