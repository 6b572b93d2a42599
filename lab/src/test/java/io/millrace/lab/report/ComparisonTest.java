package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.stats.Verdict;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static Results one(double rate) {
        return SampleResults.results(
                List.of(SampleResults.cell("millrace", SampleResults.SMALL, rate, Optional.empty())));
    }

    @Test
    void a_result_and_itself_show_no_change() {
        var results = SampleResults.of("millrace");
        assertEquals(List.of(), Comparison.of(results, results).shown());
        assertEquals(12, Comparison.of(results, results).changes().size());
    }

    @Test
    void a_faster_second_result_is_faster_in_rate_and_in_cpu() {
        var shown = Comparison.of(one(1000), one(1300)).shown();
        assertEquals(
                List.of(Verdict.FASTER, Verdict.FASTER),
                shown.stream().map(Comparison.Change::verdict).toList());
        assertEquals(1.3, shown.getFirst().contrast().ratio().median(), 1e-9);
        assertEquals(
                Verdict.SLOWER,
                Comparison.of(one(1300), one(1000)).shown().getFirst().verdict());
    }

    @Test
    void another_machine_or_other_flags_are_noted() {
        var before = one(1000);
        var method = SampleResults.method("pingpong");
        var after =
                new Results(Results.FORMAT, before.machine(), method, before.cells(), List.of(), List.of(), List.of());
        var notes = Comparison.of(before, after).notes();
        assertTrue(notes.contains("workload differs: \"executor\" before, \"pingpong\" after"), notes.toString());
    }

    @Test
    void what_is_in_one_result_only_is_noted() {
        var empty = SampleResults.results(List.of());
        var only = "millrace, 1 KiB × 50 connections, handler pool:2";
        assertTrue(Comparison.of(one(1), empty).notes().contains("only in the first: " + only));
        assertTrue(Comparison.of(empty, one(1)).notes().contains("only in the second: " + only));
    }

    @Test
    void markdown_says_how_many_figures_changed_and_which() {
        var markdown = Markdown.of(Comparison.of(one(1000), one(1300)));
        assertTrue(markdown.contains("2 of 2 figures changed beyond noise."), markdown);
        assertTrue(markdown.contains("| millrace | 1 KiB × 50 connections, handler pool:2 | messages/s"), markdown);
    }

    @Test
    void it_says_whether_something_got_worse() {
        assertFalse(Comparison.of(one(1000), one(1300)).hasWorse());
        var worse = Comparison.of(one(1300), one(1000));
        assertTrue(worse.hasWorse());
        assertTrue(Markdown.of(worse).contains("beyond noise, 2 of them for the worse."), Markdown.of(worse));
    }
}
