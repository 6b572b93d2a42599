package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.load.Exchange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PlaintextFindingsTest {
    private static final LoadShape PUBLISHED = new LoadShape(Exchange.REQUESTS, 1_024, 256, 256, "");
    private static final LoadShape KEEP_ALIVE = new LoadShape(Exchange.REQUESTS, 1_024, 64, 1, "");
    private static final LoadShape LESS_DEEP = new LoadShape(Exchange.REQUESTS, 1_024, 256, 16, "");

    @Test
    void the_published_shape_is_the_one_that_counts() {
        var results = results(
                cell("netty-epoll", KEEP_ALIVE, 1_000),
                cell("netty-epoll", LESS_DEEP, 2_000),
                cell("netty-epoll", PUBLISHED, 409_600),
                cell("millrace-epoll", PUBLISHED, 512_000),
                cell("millrace-nio", PUBLISHED, 256_000),
                cell("nginx", PUBLISHED, 300_000));
        assertEquals(
                List.of(
                        List.of(
                                "256 deep × 256 connections: requests/s",
                                "2,887,885 · iovec array filled directly 3,080,170",
                                "netty-epoll 409,600 · millrace-epoll 512,000 · millrace-nio 256,000"),
                        List.of(
                                "256 deep × 256 connections: MiB/s",
                                "396.6 · iovec array filled directly 423.0",
                                "netty-epoll 400 · millrace-epoll 500 · millrace-nio 250"),
                        List.of(
                                "256 deep × 256 connections: average latency, ms",
                                "23.4 · iovec array filled directly 21.9",
                                "netty-epoll 0.122 · millrace-epoll 0.098 · millrace-nio 0.195"),
                        List.of(
                                "256 deep × 256 connections: CPU cores the server used",
                                "–",
                                "netty-epoll 0.960 · millrace-epoll 0.960 · millrace-nio 0.960")),
                rows(results));
    }

    @Test
    void without_that_shape_what_was_published_stands_alone() {
        for (var row : rows(results(cell("netty-epoll", KEEP_ALIVE, 1_000), cell("millrace-epoll", LESS_DEEP, 2_000))))
            assertEquals("netty-epoll – · millrace-epoll –", row.getLast());
    }

    @Test
    void a_peer_without_a_valid_round_is_a_dash() {
        var invalid = SampleResults.round(900, PUBLISHED, Optional.empty(), "1 errors, the first: reset");
        var results = results(new Cell("millrace-epoll", PUBLISHED, List.of(invalid)));
        for (var row : rows(results)) assertEquals("netty-epoll – · millrace-epoll –", row.getLast());
    }

    @Test
    void both_faces_show_them() {
        var results = results(cell("netty-epoll", PUBLISHED, 400_000));
        assertTrue(Markdown.of(results).contains("## Published in 2014, and measured here\n"));
        var page = HtmlPage.of(results);
        assertTrue(page.contains("Published in 2014 for gathering writes in Netty&#39;s native transport"));
        assertTrue(page.contains("<caption>Published in 2014, and measured here</caption>"));
    }

    private static List<List<String>> rows(Results results) {
        return Findings.of(results, Ranking.all(results)).orElseThrow().rows();
    }

    private static Results results(Cell... cells) {
        return new Results(
                Results.FORMAT,
                SampleResults.machine(),
                SampleResults.method("plaintext"),
                List.of(cells),
                List.of(),
                List.of(),
                List.of());
    }

    private static Cell cell(String peer, LoadShape shape, double rate) {
        return new Cell(peer, shape, List.of(SampleResults.round(rate, shape, Optional.empty(), "")));
    }
}
