package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConclusionTest {
    private static Optional<String> of(Results results) {
        return Conclusion.of(results, Ranking.all(results));
    }

    @Test
    void one_sentence_names_the_least_cpu_and_who_differs_from_the_baseline() {
        assertEquals(
                Optional.of(
                        "millrace needs the least CPU per message in every shape; beside netty-epoll, millrace needs"
                                + " less in every shape; 1 peer differs from shape to shape, or not beyond noise."),
                of(SampleResults.of("millrace")));
    }

    @Test
    void of_one_shape_it_says_nothing_about_others() {
        var slow = SampleResults.cell("slow", SampleResults.SMALL, 10_000, Optional.empty());
        var fast = SampleResults.cell("netty-epoll", SampleResults.SMALL, 40_000, Optional.empty());
        assertEquals(
                Optional.of("netty-epoll needs the least CPU per message; beside netty-epoll, slow needs more."),
                of(SampleResults.results(List.of(slow, fast))));
    }

    @Test
    void of_several_shapes_it_counts_them() {
        var cells = List.of(
                SampleResults.cell("a", SampleResults.SMALL, 40_000, Optional.empty()),
                SampleResults.cell("b", SampleResults.SMALL, 10_000, Optional.empty()),
                SampleResults.cell("a", SampleResults.LARGE, 10_000, Optional.empty()),
                SampleResults.cell("b", SampleResults.LARGE, 40_000, Optional.empty()));
        assertEquals(
                Optional.of("a needs the least CPU per message in 1 of 2 shapes, b in 1."),
                of(SampleResults.results(cells)));
    }

    @Test
    void without_a_measured_shape_it_is_about_idle_connections() {
        assertEquals(
                Optional.of("netty-epoll keeps the least heap for an idle connection: 2,345 bytes."),
                of(SampleResults.results(List.of())));
    }

    @Test
    void it_stands_on_top_of_both_faces() {
        var results = SampleResults.of("millrace");
        var words = of(results).orElseThrow();
        assertEquals(words, Markdown.of(results).lines().toList().get(2));
        assertTrue(HtmlPage.of(results).indexOf(words) < HtmlPage.of(results).indexOf("<nav"));
    }
}
