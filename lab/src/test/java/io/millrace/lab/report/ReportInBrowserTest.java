package io.millrace.lab.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.lab.report.Chart.Kind;
import io.millrace.lab.report.Chart.Panel;
import io.millrace.lab.report.Chart.Series;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// The report as a browser shows it. What the browser made of it is told by `probe.js`, an inline script as the
/// report's own are, so that the report's content security policy holds for the copy as well.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ReportInBrowserTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String REPORT = HtmlPage.of(SampleResults.of("millrace-direct"));

    /// What `probe.js` tells.
    record Told(List<Drawn> charts) {}

    /// @param bars coloured areas
    /// @param lines coloured lines that are longer than one in a legend
    record Drawn(double width, double height, int bars, int lines, List<String> texts) {}

    private final Browser browser = Browser.installed();

    @TempDir
    private Path folder;

    @Test
    void every_chart_is_drawn_and_nothing_is_fetched() throws Exception {
        var visit = open(REPORT);
        var told = told(visit);
        assertEquals(Map.of(), missing(told));
        assertEquals(List.of(), visit.requests());
    }

    @Test
    void charts_without_their_data_are_noticed() throws Exception {
        var told = told(open(changed(REPORT, "series: seriesOf(chart),", "series: [],")));
        assertEquals(titles(), List.copyOf(missing(told).keySet()));
    }

    @Test
    void charts_that_are_not_drawn_at_all_are_noticed() throws Exception {
        var told = told(open(changed(REPORT, "const view = echarts.init(", "const view = nobody.init(")));
        assertEquals(titles(), List.copyOf(missing(told).keySet()));
    }

    @Test
    void an_image_and_a_script_from_elsewhere_are_noticed() throws Exception {
        var visit = open("""
                <!DOCTYPE html><html><body>
                <img src="http://pictures.example/a.png">
                <script src="http://127.0.0.1:12345/a.js"></script>
                <script src="https://scripts.example/b.js"></script>
                </body></html>
                """);
        for (var request : List.of(
                "GET http://pictures.example/a.png HTTP/1.1",
                "GET http://127.0.0.1:12345/a.js HTTP/1.1",
                "CONNECT scripts.example:443 HTTP/1.1")) {
            assertTrue(visit.requests().contains(request), () -> request + " is not in " + visit.requests());
        }
    }

    @Test
    void a_browser_that_hangs_is_killed() throws Exception {
        var sleeper = folder.resolve("browser");
        Files.writeString(sleeper, "#!/bin/sh\nsleep 600\n");
        Files.setPosixFilePermissions(sleeper, PosixFilePermissions.fromString("rwx------"));
        var hung = new Browser(sleeper, Duration.ofSeconds(1));
        var page = folder.resolve("page.html");
        var end = assertThrows(AssertionError.class, () -> hung.open(page, folder));
        assertTrue(end.toString().contains("the browser still ran after 1 s"), end.toString());
        assertEquals(List.of(), ProcessHandle.current().descendants().toList());
    }

    private Browser.Visit open(String page) throws IOException, InterruptedException {
        var file = folder.resolve("page.html");
        var end = page.lastIndexOf("</body>");
        Files.writeString(file, page.substring(0, end) + "<script>" + probe() + "</script>\n" + page.substring(end));
        return browser.open(file, folder);
    }

    private static String probe() throws IOException {
        try (var file = ReportInBrowserTest.class.getResourceAsStream("probe.js")) {
            return new String(file.readAllBytes(), UTF_8);
        }
    }

    private static String changed(String page, String part, String replacement) {
        assertEquals(2, page.split(Pattern.quote(part), -1).length, part);
        return page.replace(part, replacement);
    }

    private static Told told(Browser.Visit visit) throws IOException {
        var text = between(visit.document(), "<pre id=\"told\">", "</pre>");
        return JSON.readValue(URLDecoder.decode(text, UTF_8), Told.class);
    }

    private static List<Chart> charts() throws IOException {
        var text = between(REPORT, "<script type=\"application/json\" id=\"charts\">", "</script>");
        return List.of(JSON.readValue(text, Chart[].class));
    }

    private static String between(String text, String start, String end) {
        assertTrue(text.contains(start), start);
        var from = text.indexOf(start) + start.length();
        return text.substring(from, text.indexOf(end, from));
    }

    private static List<String> titles() throws IOException {
        return charts().stream().map(Chart::title).toList();
    }

    /// What keeps a chart from being complete, by its title; empty when all are.
    private static Map<String, List<String>> missing(Told told) throws IOException {
        var charts = charts();
        assertEquals(charts.size(), told.charts().size());
        var missing = new LinkedHashMap<String, List<String>>();
        for (var i = 0; i < charts.size(); i++) {
            var lacks = lacks(charts.get(i), told.charts().get(i));
            if (!lacks.isEmpty()) {
                missing.put(charts.get(i).title(), lacks);
            }
        }
        return missing;
    }

    private static List<String> lacks(Chart chart, Drawn drawn) {
        var lacks = new ArrayList<String>();
        if (drawn.width() < 600 || drawn.height() < 100) {
            lacks.add("it is only " + drawn.width() + " × " + drawn.height());
        }
        for (var text : texts(chart)) {
            if (!drawn.texts().contains(text)) {
                lacks.add("the text " + text);
            }
        }
        switch (chart.kind()) {
            case BARS -> compare(lacks, "bars", drawn.bars(), values(chart));
            case GROUPS -> compare(lacks, "bars", drawn.bars(), values(chart) + namesInLegend(chart));
            case LINES, TIME -> compare(lacks, "lines", drawn.lines(), lines(chart));
        }
        return lacks;
    }

    private static List<String> texts(Chart chart) {
        var named = chart.kind() == Kind.BARS ? chart.categories().stream() : names(chart);
        return Stream.concat(chart.panels().stream().map(Panel::unit), named).toList();
    }

    private static Stream<String> names(Chart chart) {
        return series(chart).map(Series::name).distinct();
    }

    private static Stream<Series> series(Chart chart) {
        return chart.panels().stream().flatMap(panel -> panel.series().stream());
    }

    private static void compare(List<String> lacks, String what, long drawn, long expected) {
        if (drawn != expected) {
            lacks.add(what + ": " + drawn + " instead of " + expected);
        }
    }

    /// Each has a small bar there.
    private static long namesInLegend(Chart chart) {
        return names(chart).count();
    }

    private static long values(Chart chart) {
        return series(chart).mapToLong(ReportInBrowserTest::values).sum();
    }

    private static long values(Series series) {
        return series.points().stream()
                .filter(point -> Double.isFinite(point.value()))
                .count();
    }

    private static long lines(Chart chart) {
        return series(chart).filter(series -> values(series) > 1).count();
    }
}
