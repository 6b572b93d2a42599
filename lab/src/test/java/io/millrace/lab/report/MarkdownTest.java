package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.load.Exchange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MarkdownTest {
    private static String row(String markdown, String peer) {
        return markdown.lines()
                .filter(line -> line.startsWith("| " + peer + " "))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no row of " + peer + " in\n" + markdown));
    }

    @Test
    void row_has_median_interval_ratio_and_verdict() {
        var rounds = List.of(1000.0, 1010.0, 990.0, 1020.0, 980.0);
        var markdown = Markdown.of(SampleResults.results(List.of(
                cell("netty-epoll", rounds),
                cell("millrace", rounds.stream().map(rate -> 2 * rate).toList()))));
        var row = row(markdown, "millrace");
        assertTrue(row.contains("2,000 [1,960 – 2,040]"), row);
        assertTrue(row.contains("2.00 [2.00 – 2.00]"), row);
        assertTrue(row.contains("| faster "), row);
        assertTrue(row.contains("| less CPU "), row);
        assertTrue(row(markdown, "netty-epoll").contains("baseline"), markdown);
    }

    private static Cell cell(String peer, List<Double> rates) {
        var rounds = rates.stream()
                .map(rate -> SampleResults.round(rate, SampleResults.SMALL, Optional.empty(), ""))
                .toList();
        return new Cell(peer, SampleResults.SMALL, rounds);
    }

    @Test
    void the_same_server_twice_shows_no_difference() {
        var row = row(Markdown.of(SampleResults.of("millrace")), "c-epoll");
        assertTrue(row.contains("no difference shown"), row);
    }

    @Test
    void problems_and_warnings_are_listed() {
        var markdown = Markdown.of(SampleResults.of("millrace"));
        assertTrue(row(markdown, "t-io").contains("did not listen within 15 s"), markdown);
        assertTrue(markdown.contains("- another process used 12 % of the CPU"), markdown);
    }

    @Test
    void invalid_rounds_count_in_no_median_and_are_named() {
        var valid = SampleResults.round(100, SampleResults.SMALL, Optional.empty(), "");
        var invalid = SampleResults.round(900, SampleResults.SMALL, Optional.empty(), "the load used 97 % of its core");
        var cell = new Cell("netty-epoll", SampleResults.SMALL, List.of(valid, invalid, invalid));
        var markdown = Markdown.of(SampleResults.results(List.of(cell)));
        assertTrue(row(markdown, "netty-epoll").contains("100 [too few rounds]"), markdown);
        assertTrue(row(markdown, "netty-epoll").contains("1 of 3"), markdown);
        assertTrue(markdown.contains("invalid 2 of 3 rounds: the load used 97 % of its core"), markdown);
    }

    @Test
    void peer_without_a_valid_round_or_a_baseline_says_so() {
        var none = new Cell("dead", SampleResults.SMALL, List.of());
        var alone = SampleResults.cell("alone", SampleResults.SMALL, 1000, Optional.empty());
        var markdown = Markdown.of(SampleResults.results(List.of(none, alone)));
        assertTrue(row(markdown, "dead").contains("no valid round"), markdown);
        assertTrue(row(markdown, "alone").contains("no baseline"), markdown);
    }

    @Test
    void http_counts_requests_and_failures() {
        var shape = new LoadShape(Exchange.REQUESTS, 13, 256, 16, "");
        var rounds = List.of(
                SampleResults.round(1000, shape, Optional.empty(), ""),
                SampleResults.round(900, shape, Optional.empty(), "1 errors, the first: reset"));
        var markdown = Markdown.of(SampleResults.results(List.of(new Cell("netty-epoll", shape, rounds))));
        assertTrue(markdown.contains("## pipelined 16 deep × 256 connections\n"), markdown);
        assertTrue(markdown.contains("| requests/s "), markdown);
        assertTrue(markdown.contains("| CPU µs/request "), markdown);
        assertTrue(markdown.contains("| requests/CPU s "), markdown);
        assertFalse(markdown.contains("message"), markdown);
        assertTrue(row(markdown, "netty-epoll").endsWith("| 1 of 2 | 1      |"), markdown);
    }

    @Test
    void memory_after_the_first_requests_has_a_table() {
        var markdown = Markdown.of(SampleResults.of("millrace"));
        assertTrue(
                markdown.contains(
                        "| netty-epoll | 10,000   | 20 MiB    | 64 MiB         | 1   | 100 MiB | 5 MiB                   |"),
                markdown);
    }

    @Test
    void columns_line_up() {
        var widths = Markdown.of(SampleResults.of("millrace"))
                .lines()
                .dropWhile(line -> !line.startsWith("| peer"))
                .takeWhile(line -> !line.isEmpty())
                .map(String::length)
                .distinct()
                .toList();
        assertEquals(1, widths.size(), widths.toString());
    }

    @Test
    void a_name_cannot_break_the_table_or_steer_the_terminal() {
        var markdown = Markdown.of(SampleResults.of("a|b\nc\u001b[31m"));
        assertFalse(markdown.contains("\u001b"));
        assertTrue(markdown.contains("| a\\|b c�[31m "), markdown);
    }
}
