package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import io.millrace.testing.OpenMetricsText;
import io.millrace.testing.OpenMetricsText.Sample;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What is told, read back by a parser that takes nothing that the format does not allow.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MetricsTest {
    private static double value(List<Sample> samples, String name, Map<String, String> labels) {
        return samples.stream()
                .filter(sample -> sample.name().equals(name) && sample.labels().equals(labels))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + labels + " in " + samples))
                .value();
    }

    /// What collectors send, and people.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                                                 | text/plain",
                "*/*                                                                | text/plain",
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8    | text/plain",
                "text/plain;version=0.0.4                                           | text/plain",
                "text/plain;version=0.0.4;q=0.9,application/openmetrics-text;q=0.5  | text/plain",
                "application/openmetrics-text;q=0,*/*;q=0.1                         | text/plain",
                "application/openmetrics-text                                       | application/openmetrics-text",
                "text/plain, Application/OpenMetrics-Text                           | application/openmetrics-text",
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
                        + "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
                        + " | application/openmetrics-text",
            })
    void the_text_is_the_one_that_is_asked_for(String accept, String type) throws Exception {
        var request = Request.get("/metrics");
        var response = Metrics.of().handler().handle(accept.isEmpty() ? request : request.addHeader("Accept", accept));
        boolean isOpen = type.startsWith("application/");
        assertEquals(
                type + (isOpen ? "; version=1.0.0" : "; version=0.0.4") + "; charset=utf-8",
                response.header("Content-Type").orElseThrow());
        assertEquals(isOpen, response.text().endsWith("# EOF\n"));
    }

    @Test
    void the_text_of_prometheus_names_counters_as_their_samples() throws Exception {
        var text = Metrics.of().handler().handle(Request.get("/metrics")).text();
        assertTrue(text.contains("\n# TYPE millrace_guard_acted_total counter\n"), text);
        assertTrue(text.contains("\n# HELP millrace_guard_acted_total How often a limit has acted.\n"), text);
        assertTrue(text.contains("\nmillrace_guard_acted_total{guard=\"http.head\"} "), text);
        assertFalse(text.contains("# UNIT"), text);
    }

    @Test
    void the_process_says_what_it_is_and_takes() {
        var samples = OpenMetricsText.parse(Metrics.of().text());
        assertEquals(
                1,
                samples.stream()
                        .filter(one -> one.name().equals("millrace_build_info")
                                && one.labels().keySet().equals(Set.of("version", "jdk"))
                                && one.value() == 1)
                        .count());
        assertTrue(value(samples, "process_cpu_seconds_total", Map.of()) > 0);
        assertTrue(value(samples, "process_start_time_seconds", Map.of()) > 1.7e9);
        assertTrue(value(samples, "millrace_heap_bytes", Map.of("state", "used")) > 0);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void the_process_says_what_the_system_tells_of_it() {
        var samples = OpenMetricsText.parse(Metrics.of().text());
        assertTrue(value(samples, "process_resident_memory_bytes", Map.of()) > 1 << 20);
        assertTrue(value(samples, "process_virtual_memory_bytes", Map.of()) > 1 << 20);
        assertTrue(value(samples, "process_open_fds", Map.of()) > 2);
        assertTrue(value(samples, "process_max_fds", Map.of()) > 2);
    }

    @Test
    void lines_that_a_log_has_left_out_are_told() {
        var samples = OpenMetricsText.parse(
                Metrics.of(MetricSource.droppedLines(() -> 7)).text());
        assertEquals(7, value(samples, "millrace_access_log_dropped_total", Map.of()));
    }

    @Test
    void requests_are_counted_by_the_route_that_answered_them() {
        var app = Routes.of()
                .get("/rooms/{id}", _ -> Response.ok("a room"))
                .mount("/api", Routes.of().get("/health", _ -> Response.ok("fine")));
        Simulation.forEachSeed(3, network -> {
            var counted = Metrics.of();
            var settings = HttpSettings.standard().listener(counted.requests("web"));
            try (var _ = Http.listen(network.on(80), settings, app);
                    var client = HttpClient.of(ClientSettings.standard()
                            .loops(network.loops())
                            .connect(host -> network.to(host.getPort())))) {
                for (var path : List.of("/rooms/1", "/rooms/2", "/api/health", "/nowhere")) {
                    var answer = client.sendAsync(Request.get("http://a" + path));
                    network.run();
                    assertEquals(
                            path.equals("/nowhere") ? 404 : 200, answer.join().status());
                }
            }
            var samples = OpenMetricsText.parse(counted.text());
            assertEquals(2, requests(samples, Map.of("listener", "web", "route", "/rooms/{id}", "status", "2xx")));
            assertEquals(1, requests(samples, Map.of("listener", "web", "route", "/api/health", "status", "2xx")));
            assertEquals(1, requests(samples, Map.of("listener", "web", "status", "4xx")));
        });
    }

    private static double requests(List<Sample> samples, Map<String, String> labels) {
        return value(samples, "millrace_requests_total", labels);
    }

    /// The parser has to be worth something.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "# TYPE a gauge\na 1\n",
                "a 1\n# EOF\n",
                "# TYPE a counter\na 1\n# EOF\n",
                "# TYPE a gauge\na 1\n# TYPE a gauge\n# EOF\n",
                "# TYPE a gauge\na 1\na 1\n# EOF\n",
                "# TYPE a gauge\na{b=\"\"\"} 1\n# EOF\n",
                "# TYPE a gauge\na{b=\"c\\d\"} 1\n# EOF\n",
                "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n",
                "# TYPE a counter\na_total -1\n# EOF\n",
                "# TYPE a histogram\na_bucket{le=\"1.0\"} 2\na_bucket{le=\"+Inf\"} 1\na_count 1\na_sum 1\n# EOF\n",
                "# TYPE a histogram\na_bucket{le=\"1.0\"} 1\na_count 1\na_sum 1\n# EOF\n",
                "# TYPE a histogram\na_bucket{le=\"+Inf\"} 2\na_count 1\na_sum 1\n# EOF\n",
            })
    void what_the_format_does_not_allow_is_seen(String text) {
        assertThrows(IllegalArgumentException.class, () -> OpenMetricsText.parse(text));
    }
}
