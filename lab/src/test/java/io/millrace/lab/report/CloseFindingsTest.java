package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.load.Exchange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CloseFindingsTest {
    private static final LoadShape AT_50 = new LoadShape(Exchange.CLOSE, 13, 50, 1, "");
    private static final LoadShape AT_100 = AT_50.connections(100);

    @Test
    void each_variant_of_millrace_stands_beside_those_published() {
        var results = results(
                List.of(
                        cell("netty-epoll", AT_50, 9_000),
                        cell("millrace-epoll", AT_50, 8_000),
                        cell("millrace-nio", AT_50, 7_000),
                        cell("t-io", AT_50, 5_000),
                        cell("voovan", AT_50, 6_000)),
                List.of());
        assertEquals(
                List.of(
                        "50 at once: requests/s",
                        "Voovan 6,013 · t-io 4,925 (5,270 without the run that hit a full collection)",
                        "voovan 6,000 · t-io 5,000 · millrace-epoll 8,000 · millrace-nio 7,000"),
                row("50 at once: requests/s", results));
    }

    @Test
    void failures_are_those_of_all_rounds() {
        var failing = new Cell(
                "t-io",
                AT_100,
                List.of(
                        SampleResults.round(5_000, AT_100, Optional.empty(), ""),
                        SampleResults.round(5_000, AT_100, Optional.empty(), "1 errors, the first: reset"),
                        SampleResults.round(5_000, AT_100, Optional.empty(), "1 errors, the first: reset")));
        var results = results(List.of(failing, cell("voovan", AT_100, 6_000)), List.of());
        assertEquals(
                List.of("100 at once: failed requests", "t-io failed", "voovan 0 · t-io 2 · millrace –"),
                row("100 at once: failed requests", results));
    }

    @Test
    void who_gave_up_is_not_said_to_have_no_failures() {
        var results = results(
                List.of(cell("t-io", AT_50, 5_000), cell("t-io", AT_100, 5_000)),
                List.of(
                        new Unmeasured("t-io", AT_100, "is gone"),
                        new Unmeasured("millrace-nio", AT_50, "did not listen")));
        assertEquals(
                "voovan – · t-io see problems · millrace-nio –",
                row("100 at once: failed requests", results).getLast());
        assertEquals(
                "voovan – · t-io 0 · millrace-nio see problems",
                row("50 at once: failed requests", results).getLast());
    }

    @Test
    void memory_is_that_after_the_first_requests() {
        var results = results(
                List.of(cell("millrace-epoll", AT_50, 8_000)),
                List.of(),
                use("voovan", 10_000, 12 << 20),
                use("t-io", 10_000, -1),
                use("millrace-epoll", 5_000, 12 << 20));
        assertEquals(
                List.of(
                        "heap used after 10,000 requests",
                        "Voovan 12.7 MB · t-io 42.3 MB",
                        "voovan 12 MiB · t-io – · millrace-epoll –"),
                row("heap used after 10,000 requests", results));
        assertEquals(
                List.of(
                        "heap committed after 10,000 requests",
                        "Voovan 129 MB · t-io 163 MB",
                        "voovan 24 MiB · t-io – · millrace-epoll –"),
                row("heap committed after 10,000 requests", results));
    }

    @Test
    void numbers_of_connections_that_were_not_asked_for_are_dashes() {
        var results = results(List.of(cell("millrace-epoll", AT_50.connections(500), 8_000)), List.of());
        for (var what :
                List.of("50 at once: requests/s", "50 at once: failed requests", "100 at once: failed requests")) {
            assertEquals(
                    "voovan – · t-io – · millrace-epoll –", row(what, results).getLast(), what);
        }
    }

    @Test
    void both_faces_show_them() {
        var results = results(List.of(cell("millrace-epoll", AT_50, 8_000)), List.of());
        assertTrue(Markdown.of(results).contains("## Published in 2017, and measured here\n"));
        var page = HtmlPage.of(results);
        assertTrue(page.contains("Published in 2017 for t-io and Voovan; not our measurements."));
        assertTrue(page.contains("<caption>Published in 2017, and measured here</caption>"));
    }

    private static List<String> row(String what, Results results) {
        return Findings.of(results, Ranking.all(results)).orElseThrow().rows().stream()
                .filter(row -> row.getFirst().equals(what))
                .findFirst()
                .orElseThrow();
    }

    private static Results results(List<Cell> cells, List<Unmeasured> problems, FirstUse... firstUse) {
        return new Results(
                Results.FORMAT,
                SampleResults.machine(),
                SampleResults.method("close"),
                cells,
                problems,
                List.of(),
                List.of(firstUse));
    }

    private static FirstUse use(String peer, long requests, long heapUsedBytes) {
        return new FirstUse(peer, requests, heapUsedBytes, 2 * heapUsedBytes, 1, 100 << 20, heapUsedBytes);
    }

    private static Cell cell(String peer, LoadShape shape, double rate) {
        return new Cell(peer, shape, List.of(SampleResults.round(rate, shape, Optional.empty(), "")));
    }
}
