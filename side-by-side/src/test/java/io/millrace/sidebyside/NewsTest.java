package io.millrace.sidebyside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Server-sent events: every listener gets each message.
@Tag("slow")
@ExtendWith(EndsChildren.class)
class NewsTest {
    static List<Side> sides() {
        return Row.NEWS.sides();
    }

    @ParameterizedTest
    @MethodSource("sides")
    void who_listens_hears_what_is_published_and_who_left_disturbs_nobody(Side side) throws Exception {
        try (var program = Program.start(Row.NEWS, side, "0")) {
            var uri = program.uri();
            try (var browser = new Browser(uri)) {
                var response = browser.events("/news");
                var type = response.headers().firstValue("Content-Type").orElse("none");
                assertTrue(type.startsWith("text/event-stream"), type);
                var lines = response.body().iterator();
                try (var other = new Browser(uri)) {
                    var theirs = other.events("/news").body().iterator();
                    publishUntilHeard(browser, "first", theirs);
                    publishUntilHeard(browser, "second", lines);
                }
                publishUntilHeard(browser, "third", lines);
            }
        }
    }

    /// More than once: no program promises that a client which has got the response's head is listening already.
    private static void publishUntilHeard(Browser browser, String text, Iterator<String> lines) {
        var heard = CompletableFuture.supplyAsync(
                () -> eventWith(text, lines), task -> Thread.ofVirtual().start(task));
        while (!heard.isDone()) {
            assertEquals(204, browser.send("POST", "/news", text).statusCode());
        }
        assertTrue(heard.join().contains("event:news"), heard::toString);
    }

    /// The lines of the next event with a text. A blank after the colon means nothing.
    private static List<String> eventWith(String text, Iterator<String> lines) {
        var event = new ArrayList<String>();
        while (lines.hasNext()) {
            var line = lines.next();
            if (!line.isEmpty()) {
                event.add(line.replaceFirst(": ", ":"));
            } else if (event.contains("data:" + text)) {
                return event;
            } else {
                event.clear();
            }
        }
        throw new AssertionError("the stream of events has ended");
    }
}
