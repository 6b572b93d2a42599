package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.filter.MetricSource;
import io.millrace.http.filter.Metrics;
import io.millrace.proxy.service.Reloads;
import io.millrace.testing.OpenMetricsText;
import io.millrace.testing.OpenMetricsText.Sample;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What is counted of real requests that were passed on, read back by a parser that takes nothing that the format does
/// not allow.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpstreamMetricsTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

    @Test
    void requests_are_counted_by_listener_backend_and_class_of_status() throws Exception {
        try (var backend = RawBackend.answering(OK)) {
            var upstream = Upstream.of(backend.uri()).name("a \"strange\"\\name\n");
            var loops = new AtomicReference<MetricSource>(_ -> {});
            var metrics =
                    Metrics.of(UpstreamMetrics.of(upstream), to -> loops.get().write(to));
            try (var proxy = Proxying.Kind.NIO_SAME.serve(upstream, metrics.requests("web"), same -> same)) {
                loops.set(MetricSource.loops(proxy.loops().getFirst()));
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

    @Test
    void backends_of_layer_4_are_counted_as_such() {
        try (var bytes = TcpUpstream.of("127.0.0.1:9").name("both").start();
                var requests = Upstream.of("http://127.0.0.1:9").name("both").start()) {
            var metrics = Metrics.of(UpstreamMetrics.of(() -> List.of(requests), () -> List.of(bytes)));
            var samples = OpenMetricsText.parse(metrics.text());
            for (var layer : List.of("4", "7")) {
                var labels = Map.of("layer", layer, "upstream", "both", "backend", "127.0.0.1:9");
                assertEquals(1, value(samples, "millrace_backend_available", labels));
            }
        }
    }

    @Test
    void reloads_are_told_with_their_time_and_result() {
        var reloads = new Reloads(InstantSource.system());
        var metrics = Metrics.of(reloads);
        reloads.used();
        var samples = OpenMetricsText.parse(metrics.text());
        assertEquals(1, value(samples, "millrace_config_last_reload_successful", Map.of()));
        double used = value(samples, "millrace_config_last_reload_success_timestamp_seconds", Map.of());
        assertEquals(used, value(samples, "millrace_config_last_reload_timestamp_seconds", Map.of()));
        reloads.refused();
        samples = OpenMetricsText.parse(metrics.text());
        assertEquals(0, value(samples, "millrace_config_last_reload_successful", Map.of()));
        assertEquals(used, value(samples, "millrace_config_last_reload_success_timestamp_seconds", Map.of()));
        assertTrue(value(samples, "millrace_config_last_reload_timestamp_seconds", Map.of()) >= used);
        assertEquals(1, value(samples, "millrace_config_reloads_total", Map.of("result", "used")));
        assertEquals(1, value(samples, "millrace_config_reloads_total", Map.of("result", "refused")));
    }

    private static double value(List<Sample> samples, String name, Map<String, String> labels) {
        return samples.stream()
                .filter(sample -> sample.name().equals(name) && sample.labels().equals(labels))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + labels + " in " + samples))
                .value();
    }
}
