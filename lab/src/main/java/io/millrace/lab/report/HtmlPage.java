package io.millrace.lab.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.lab.load.Exchange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// A result as one self-contained page that works offline: ECharts, the data and tables with the same figures.
/// Its content security policy forbids the browser to fetch anything.
public final class HtmlPage {
    private static final String POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Results results;
    private final SortedMap<LoadShape, List<Ranking>> shapes;
    private final List<Chart> charts = new ArrayList<>();
    private final Html body = new Html();
    private final Html contents = new Html();

    private HtmlPage(Results results) {
        this.results = results;
        shapes = Ranking.all(results);
    }

    public static String of(Results results) {
        return new HtmlPage(results).page();
    }

    /// Writes the page, with the folders above it.
    public static void write(Results results, Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, of(results));
    }

    private String page() {
        problems();
        overSize();
        published();
        findings();
        eachShape();
        idle();
        firstUse();
        machine();
        var title = "Millrace lab: " + results.method().workload();
        return new Html()
                .markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")
                .markup("<meta http-equiv=\"Content-Security-Policy\" content=\"" + POLICY + "\">")
                .markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
                .element("title", title)
                .markup("<style>\n" + resource("page.css") + "</style>\n</head>\n<body>\n<header>")
                .element("h1", title)
                .element(
                        "p",
                        results.machine().when() + ", " + results.machine().cpu() + ", JDK "
                                + results.machine().jdk())
                .markup(conclusion())
                .markup("</header>\n<nav aria-label=\"Contents\">\n<ul>\n" + contents + "</ul>\n</nav>\n<main>")
                .markup(body.toString())
                .markup("</main>\n<script type=\"application/json\" id=\"charts\">" + chartsAsJson() + "</script>")
                .markup("<script>" + resource("echarts.min.js") + "</script>")
                .markup("<script>\n" + resource("page.js") + "</script>\n</body>\n</html>")
                .toString();
    }

    private String conclusion() {
        var conclusion = new Html();
        Conclusion.of(results, shapes).ifPresent(words -> conclusion.paragraph("conclusion", words));
        return conclusion.toString();
    }

    private void problems() {
        var warnings = Tables.warnings(results, shapes.values());
        if (warnings.isEmpty() && results.problems().isEmpty()) {
            return;
        }
        section("problems", "Problems and warnings");
        body.markup("<div class=\"alarm\">");
        if (!results.problems().isEmpty()) {
            body.table(Tables.problems(results.problems()), "problems");
        }
        if (!warnings.isEmpty()) {
            body.markup("<ul>");
            warnings.forEach(warning -> body.element("li", warning));
            body.markup("</ul>");
        }
        body.markup("</div>");
    }

    private void overSize() {
        var section = "over-size";
        for (var load : byLoad().entrySet()) {
            if (load.getValue().size() < 2) {
                continue;
            }
            section = openOnce(section, "Throughput over message size");
            body.markup("<figure>");
            chart(Charts.overSize(load.getKey(), load.getValue()));
            body.table(Tables.overSize(load.getKey(), load.getValue()), "measured")
                    .markup("</figure>");
        }
    }

    /// Opens the section with the first figure in it; an empty id says that it is open.
    private String openOnce(String id, String title) {
        if (!id.isEmpty()) {
            section(id, title);
        }
        return "";
    }

    private void findings() {
        var findings = Findings.of(results, shapes);
        if (findings.isEmpty()) return;
        section("published", "Beside the published findings");
        body.element("p", findings.get().note());
        body.table(findings.get().table(), "measured");
    }

    private void published() {
        if (!results.method().workload().equals("executor")) {
            return;
        }
        var published = Published.executor();
        section("published", "Beside the published figures");
        body.element("p", published.note());
        body.element("p", published.title() + ". Published hardware: " + published.hardware() + ".");
        for (var load : byLoad().entrySet()) {
            var common = new TreeMap<>(load.getValue());
            common.keySet()
                    .removeIf(shape -> published.ofSize(shape.sizeBytes()).isEmpty());
            if (common.isEmpty()) {
                continue;
            }
            body.markup("<figure>");
            chart(Charts.beside(published, load.getKey(), common));
            body.table(Tables.beside(published, load.getKey(), common), "measured")
                    .markup("</figure>");
        }
    }

    private void eachShape() {
        var number = 0;
        for (var entry : shapes.entrySet()) {
            var shape = entry.getKey();
            var standings = entry.getValue();
            section("shape-" + number++, shape.words());
            if (number == 1) {
                body.element("p", Markdown.METHOD);
            }
            body.markup("<figure>");
            chart(Charts.bars(shape, standings));
            body.table(Tables.comparison(shape, standings), "measured").markup("</figure>\n<figure>");
            chart(Charts.latency(shape, standings));
            Tables.details(shape, standings).forEach(table -> body.table(table, "measured"));
            body.markup("</figure>\n<figure>");
            courseOverTime(Charts.overTime(shape, standings), standings);
            body.table(Tables.overTime(shape, standings), "measured").markup("</figure>");
            if (shape.exchange() == Exchange.PAGES || shape.exchange() == Exchange.STREAMED_PAGES)
                flowOverTime(shape, standings);
        }
    }

    /// A line takes two seconds of a round.
    private void courseOverTime(Chart chart, List<Ranking> standings) {
        boolean hasCourse = standings.stream()
                .flatMap(standing -> standing.cell().rounds().stream())
                .anyMatch(round -> round.overTime().size() > 1);
        if (hasCourse) chart(chart);
        else body.element("p", "Rounds this short are not drawn over time: use --seconds 5.");
    }

    private void flowOverTime(LoadShape shape, List<Ranking> standings) {
        body.markup("<figure>");
        courseOverTime(Charts.flowOverTime(shape, standings), standings);
        body.table(Tables.flowOverTime(shape, standings), "measured").markup("</figure>");
    }

    private void idle() {
        if (results.idle().isEmpty()) {
            return;
        }
        section("idle", "Idle connections");
        body.markup("<figure>");
        chart(Charts.idle(results.idle()));
        body.table(Tables.idle(results.idle()), "measured").markup("</figure>");
    }

    private void firstUse() {
        if (results.firstUse().isEmpty()) {
            return;
        }
        section("first-use", "Memory after the first requests");
        body.table(Tables.firstUse(results.firstUse()), "measured");
    }

    private void machine() {
        section("machine", "Machine and method");
        body.table(Tables.machine(results), "facts");
    }

    private void section(String id, String title) {
        contents.link(id, title);
        body.heading(2, id, title);
    }

    private void chart(Chart chart) {
        body.element("h3", chart.title());
        body.chart(charts.size(), chart.title());
        charts.add(chart);
    }

    /// Shapes that differ in their size only, by what they have in common.
    private Map<String, SortedMap<LoadShape, List<Ranking>>> byLoad() {
        var loads = new LinkedHashMap<String, SortedMap<LoadShape, List<Ranking>>>();
        shapes.forEach((shape, standings) ->
                loads.computeIfAbsent(shape.load(), load -> new TreeMap<>()).put(shape, standings));
        return loads;
    }

    /// A script element ends at the first end tag, even within a string, so it must not contain `<`.
    private String chartsAsJson() {
        try {
            return JSON.writeValueAsString(charts).replace("<", "\\u003c");
        } catch (JsonProcessingException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static String resource(String name) {
        try (var file = HtmlPage.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException(name + " is missing beside " + HtmlPage.class + ": build again");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
