package io.millrace.cli;

import static io.millrace.cli.LabProgram.SHORT;
import static io.millrace.cli.LabProgram.measured;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// The workloads of HTTP/2.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class LabHttp2Test {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @Test
    void measures_requests_in_streams_in_clear_text_and_over_tls(@TempDir Path folder) throws Exception {
        for (var how : List.of("", "--tls ")) {
            var into = Files.createDirectory(folder.resolve("results" + how.length()));
            var options = "http2 --peers millrace-nio,millrace-epoll-virtual,nginx --depths 1,10 " + how;
            var measured = measured(options + SHORT, into);
            measured.assertTwoRounds();
            assertTrue(measured.said().contains("## 10 streams × 2 connections"), measured.said());
            assertTrue(measured.said().contains("## 1 stream × 2 connections"), measured.said());
        }
    }

    @Test
    void measures_proxies_from_http2_to_http1(@TempDir Path folder) throws Exception {
        var measured = measured("http2-proxy --peers millrace-7-nio-same,nginx-proxy,haproxy-http " + SHORT, folder);
        measured.assertTwoRounds();
        assertTrue(measured.said().contains("## 600 B × 10 streams × 2 connections"), measured.said());
    }

    @Test
    void counts_what_an_idle_connection_of_http2_costs_before_and_after_its_first_request(@TempDir Path folder)
            throws Exception {
        for (var how : List.of("", " --tls")) {
            var into = Files.createDirectory(folder.resolve("results" + how.length()));
            var measured = measured("http2-idle --peers millrace-nio --connections 300" + how, into);
            assertEquals(
                    List.of(0, 1),
                    measured.results().idle().stream()
                            .map(idle -> idle.messages())
                            .toList());
            for (var idle : measured.results().idle()) assertTrue(idle.heapBytesEach() < 100_000, idle::toString);
        }
    }
}
