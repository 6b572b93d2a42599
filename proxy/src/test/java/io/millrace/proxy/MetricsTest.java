package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Request;
import io.millrace.proxy.operation.OpenMetricsText;
import io.millrace.proxy.operation.OpenMetricsText.Sample;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
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

    @Test
    void the_handler_says_what_its_text_is() throws Exception {
        var response = Metrics.of().handler().handle(Request.get("/metrics"));
        assertEquals(
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
                response.header("Content-Type").orElseThrow());
        OpenMetricsText.parse(response.text());
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
