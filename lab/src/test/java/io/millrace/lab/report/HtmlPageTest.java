package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HtmlPageTest {
    /// Ways in which a page, its styles or its scripts ask for something outside it.
    private static final List<Pattern> FETCHES = List.of(
            Pattern.compile("(?i)\\b(src|srcset|href|action|poster|data)\\s*=\\s*[\"']?\\s*(https?:)?//"),
            Pattern.compile("(?i)url\\(\\s*[\"']?\\s*(https?:)?//"),
            Pattern.compile("(?i)@import\\b"),
            Pattern.compile("\\bimport\\s*[(\"']"),
            Pattern.compile("\\bfrom\\s*[\"'](https?:)?//"),
            Pattern.compile("\\b(fetch|importScripts|sendBeacon)\\s*\\("),
            Pattern.compile("\\b(XMLHttpRequest|EventSource|WebSocket)\\b"));

    private final String page = HtmlPage.of(SampleResults.of("millrace-direct"));

    @Test
    void asks_the_network_for_nothing() {
        for (var fetch : FETCHES) {
            var found = fetch.matcher(page);
            assertFalse(found.find(), () -> "the page holds " + found.group());
        }
        assertTrue(page.contains("Content-Security-Policy\" content=\"default-src 'none';"));
    }

    @Test
    void the_check_above_would_find_each_way_to_fetch() {
        var bad = List.of(
                "<script src=\"https://example.org/a.js\">",
                "background: url(http://example.org/a.png)",
                "@import 'a.css'",
                "import('https://example.org/a.js')",
                "import a from 'https://example.org/a.js'",
                "fetch('/a')",
                "new WebSocket('wss://example.org')");
        for (var one : bad) {
            assertTrue(FETCHES.stream().anyMatch(fetch -> fetch.matcher(one).find()), one);
        }
    }

    @Test
    void carries_echarts_within() {
        assertTrue(page.contains("Licensed to the Apache Software Foundation"));
        assertTrue(page.length() > 900_000, "length " + page.length());
    }

    @Test
    void a_name_that_ends_a_script_stays_a_name() throws IOException {
        var name = "</script><img src=x onerror=alert(1)>\"'&";
        var hostile = HtmlPage.of(SampleResults.of(name));
        assertEquals(count(page, "<script"), count(hostile, "<script"));
        assertEquals(count(page, "</script"), count(hostile, "</script"));
        assertEquals(count(page, "<img"), count(hostile, "<img"));
        assertTrue(hostile.contains(
                "<th scope=\"row\">&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;</th>"));
        assertEquals(name, charts(hostile).get(0).at("/panels/0/series/1/name").asText());
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }

    private static JsonNode charts(String page) throws IOException {
        var start = "<script type=\"application/json\" id=\"charts\">";
        var from = page.indexOf(start) + start.length();
        return JsonMapper.builder().build().readTree(page.substring(from, page.indexOf("</script>", from)));
    }

    @Test
    void has_every_chart_that_its_script_shall_draw_and_tables_under_each() throws IOException {
        var titles = new ArrayList<String>();
        charts(page).forEach(chart -> titles.add(chart.path("title").asText()));
        var load = "50 connections, handler pool:2";
        assertEquals(
                List.of(
                        "Throughput over message size: " + load,
                        "Beside the published figures: " + load,
                        "Throughput and CPU per message: 1 KiB × " + load,
                        "Latency: 1 KiB × " + load,
                        "Rate and CPU over time: 1 KiB × " + load,
                        "Throughput and CPU per message: 5 KiB × " + load,
                        "Latency: 5 KiB × " + load,
                        "Rate and CPU over time: 5 KiB × " + load,
                        "Bytes per idle connection"),
                titles);
        for (var i = 0; i < titles.size(); i++) {
            var from = page.indexOf("data-chart=\"" + i + "\"");
            var figure = page.substring(from, page.indexOf("</figure>", from));
            assertTrue(figure.contains("<table"), titles.get(i));
        }
    }

    @Test
    void published_figures_are_marked_as_such() {
        assertTrue(page.contains("These are not our measurements"));
        assertTrue(page.contains("<tr class=\"published\"><th scope=\"row\">1 KiB</th>"
                + "<td>MINA 2.0.7 (published 2013)</td><td>published</td><td>45,024</td><td>50</td><td>150</td>"));
    }

    @Test
    void another_workload_has_no_published_figures() {
        var some = SampleResults.of("millrace");
        var other = new Results(
                Results.FORMAT,
                some.machine(),
                SampleResults.method("pingpong"),
                some.cells(),
                List.of(),
                List.of(),
                List.of());
        assertFalse(HtmlPage.of(other).contains("published 2013"));
    }

    @Test
    void empty_results_make_a_page_too(@TempDir Path folder) throws IOException {
        var empty = new Results(
                Results.FORMAT,
                SampleResults.machine(),
                SampleResults.method("idle"),
                List.of(),
                List.of(),
                List.of(),
                List.of());
        HtmlPage.write(empty, folder.resolve("new/page.html"));
        assertTrue(Files.readString(folder.resolve("new/page.html")).endsWith("</html>\n"));
    }
}
