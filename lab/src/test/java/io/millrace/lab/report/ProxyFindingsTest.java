package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.load.Exchange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProxyFindingsTest {
    private static final LoadShape LAYER_4 = new LoadShape(Exchange.PAGES, 600, 64, 1, "layer 4");
    private static final LoadShape LAYER_7 = new LoadShape(Exchange.PAGES, 600, 64, 1, "layer 7");

    private final Results results = new Results(
            Results.FORMAT,
            SampleResults.machine(),
            new Method("proxy", "", "", "haproxy-tcp, nginx-proxy", 5, 1, "0", "1", "nginx, on cores 1", "loopback"),
            List.of(
                    cell("direct", LAYER_4, 40_000),
                    cell("haproxy-tcp", LAYER_4, 30_000),
                    cell("netty-4-epoll-same", LAYER_4, 20_000),
                    cell("nginx-proxy", LAYER_7, 20_000),
                    cell("netty-7-epoll-same", LAYER_7, 10_000)),
            List.of(),
            List.of(),
            List.of());

    @Test
    void each_layer_is_compared_with_its_own_baseline() {
        var standings = Ranking.all(results);
        var verdicts = standings.values().stream()
                .flatMap(List::stream)
                .map(standing -> standing.peer() + " " + standing.verdict(Measure.RATE))
                .toList();
        assertEquals(
                List.of(
                        "direct faster",
                        "haproxy-tcp baseline",
                        "netty-4-epoll-same slower",
                        "nginx-proxy baseline",
                        "netty-7-epoll-same slower"),
                verdicts);
    }

    @Test
    void what_was_published_stands_beside_what_was_measured() {
        var markdown = Markdown.of(results);
        var layer4 = markdown.lines()
                .filter(line -> line.startsWith("| layer 4: requests/s against those"))
                .findFirst()
                .orElseThrow();
        assertTrue(layer4.contains("0.97"), layer4);
        assertTrue(layer4.matches(".*Netty 0\\.[45].* · Millrace –.*"), layer4);
        assertTrue(HtmlPage.of(results).contains("Beside the published findings"));
        assertTrue(HtmlPage.of(results).contains("Network and context switches over time"));
        assertTrue(markdown.contains("| behind the proxies"), markdown);
    }

    @Test
    void other_workloads_say_nothing_of_proxies() {
        var others = SampleResults.of("millrace-direct");
        assertTrue(Findings.of(others, Ranking.all(others)).isEmpty());
    }

    private static Cell cell(String peer, LoadShape shape, double rate) {
        return SampleResults.cell(peer, shape, rate, Optional.empty());
    }
}
