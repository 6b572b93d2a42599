package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Request;
import io.millrace.proxy.operation.OpenMetricsText;
import io.millrace.proxy.operation.OpenMetricsText.Sample;
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

/// What is counted of real requests, read back by a parser that takes nothing that the format does not allow.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MetricsTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    @Test
    void requests_are_counted_by_listener_backend_and_class_of_status() throws Exception {
        try (var backend = RawBackend.answering(OK)) {
            var upstream = Upstream.of(backend.uri()).name("a \"strange\"\\name\n");
            var metrics = Metrics.of().upstreams(() -> List.of(upstream));
            try (var proxy = Proxying.Kind.NIO_SAME.serve(upstream, metrics.exchanges("web"), same -> same)) {
                metrics.loops(proxy.loops().getFirst());
                for (int i = 0; i < 3; i++) {
                    try (var client = proxy.connect()) {
                        assertEquals(200, client.get("/").read().status());
                    }
                }
                try (var client = proxy.connect()) {
                    assertEquals(400, client.send("nonsense\r\n\r\n").read().status());
                }
            }
            var samples = OpenMetricsText.parse(metrics.text());
            assertEquals(3, value(samples, "millrace_requests_total", Map.of("listener", "web", "status", "2xx")));
            assertEquals(1, value(samples, "millrace_requests_total", Map.of("listener", "web", "status", "4xx")));
            assertEquals(4, value(samples, "millrace_request_seconds_count", Map.of("listener", "web")));
            assertTrue(value(samples, "millrace_request_seconds_sum", Map.of("listener", "web")) > 0);
            var labels = Map.of(
                    "layer",
                    "7",
                    "upstream",
                    "a \"strange\"\\name\n",
                    "backend",
                    backend.uri().substring("http://".length()),
                    "status",
                    "2xx");
            assertEquals(3, value(samples, "millrace_backend_responses_total", labels));
            assertEquals(
                    2,
                    samples.stream()
                            .filter(sample -> sample.name().equals("millrace_loop_connections"))
                            .count());
            assertTrue(samples.stream().anyMatch(sample -> sample.labels().equals(Map.of("guard", "http.head"))));
        }
    }

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
    void backends_of_layer_4_are_counted_as_such() {
        try (var bytes = TcpUpstream.of("127.0.0.1:9").name("both").start();
                var requests = Upstream.of("http://127.0.0.1:9").name("both").start()) {
            var metrics = Metrics.of().upstreams(() -> List.of(requests)).tcpUpstreams(() -> List.of(bytes));
            var samples = OpenMetricsText.parse(metrics.text());
            for (var layer : List.of("4", "7")) {
                var labels = Map.of("layer", layer, "upstream", "both", "backend", "127.0.0.1:9");
                assertEquals(1, value(samples, "millrace_backend_able", labels));
            }
        }
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
    void reloads_are_told_with_their_time_and_result() {
        var metrics = Metrics.of();
        assertFalse(metrics.text().contains("millrace_config"));
        metrics.reloaded(true);
        var samples = OpenMetricsText.parse(metrics.text());
        assertEquals(1, value(samples, "millrace_config_last_reload_successful", Map.of()));
        double used = value(samples, "millrace_config_last_reload_success_timestamp_seconds", Map.of());
        assertEquals(used, value(samples, "millrace_config_last_reload_timestamp_seconds", Map.of()));
        metrics.reloaded(false);
        samples = OpenMetricsText.parse(metrics.text());
        assertEquals(0, value(samples, "millrace_config_last_reload_successful", Map.of()));
        assertEquals(used, value(samples, "millrace_config_last_reload_success_timestamp_seconds", Map.of()));
        assertTrue(value(samples, "millrace_config_last_reload_timestamp_seconds", Map.of()) >= used);
        assertEquals(1, value(samples, "millrace_config_reloads_total", Map.of("result", "used")));
        assertEquals(1, value(samples, "millrace_config_reloads_total", Map.of("result", "refused")));
    }

    @Test
    void lines_that_a_log_has_left_out_are_told() {
        var samples = OpenMetricsText.parse(Metrics.of().droppedLines(() -> 7).text());
        assertEquals(7, value(samples, "millrace_access_log_dropped_total", Map.of()));
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
