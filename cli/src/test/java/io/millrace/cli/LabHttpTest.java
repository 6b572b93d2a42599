package io.millrace.cli;

import static io.millrace.cli.LabProgram.SHORT;
import static io.millrace.cli.LabProgram.measured;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.load.Exchange;
import io.millrace.testing.EndsChildren;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// The workloads of HTTP/1.1, WebSockets and proxies.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class LabHttpTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @Test
    void measures_requests_one_at_a_time_and_pipelined(@TempDir Path folder) throws Exception {
        var options = "plaintext --peers millrace-nio,millrace-nio-virtual --depths 1,16 ";
        var measured = measured(options + SHORT, folder);
        assertEquals(
                List.of(1, 1, 16, 16, 16, 16),
                measured.results().cells().stream()
                        .map(cell -> cell.shape().depth())
                        .toList());
        measured.assertTwoRounds();
        assertTrue(measured.said().contains("## pipelined 16 deep × 2 connections"), measured.said());
        assertTrue(
                measured.said().contains("## pipelined 16 deep, every request different × 2 connections"),
                measured.said());
    }

    @Test
    void measures_requests_with_a_connection_each(@TempDir Path folder) throws Exception {
        var measured = measured("close --peers millrace-nio,millrace-nio-pool " + SHORT, folder);
        measured.assertTwoRounds();
        assertEquals(2, measured.results().firstUse().size());
        assertTrue(measured.results().firstUse().getFirst().heapUsedBytes() > 0, measured.said());
    }

    @Test
    void measures_handshakes_requests_and_bodies_over_tls(@TempDir Path folder) throws Exception {
        var options = "tls --peers millrace-nio,nginx --sizes 1k ";
        var measured = measured(options + SHORT, folder);
        assertEquals(
                List.of(
                        Exchange.HANDSHAKES,
                        Exchange.HANDSHAKES,
                        Exchange.RESUMED,
                        Exchange.RESUMED,
                        Exchange.REQUESTS,
                        Exchange.REQUESTS,
                        Exchange.BODIES),
                measured.results().cells().stream()
                        .map(cell -> cell.shape().exchange())
                        .toList());
        measured.assertTwoRounds();
        assertTrue(measured.results().idle().getFirst().heapBytesEach() > 0, measured.said());
        assertTrue(measured.said().contains("## 1 KiB both ways × 2 connections"), measured.said());
    }

    @Test
    void measures_proxies_in_front_of_a_backend(@TempDir Path folder) throws Exception {
        var measured = measured("proxy --peers direct,millrace-4-nio-same --sizes 600 " + SHORT, folder);
        assertEquals(
                List.of("direct", "millrace-4-nio-same", "direct"),
                measured.results().cells().stream().map(cell -> cell.peer()).toList());
        measured.assertTwoRounds();
        assertTrue(measured.said().contains("| behind the proxies"), measured.said());
    }

    @Test
    void measures_messages_of_websockets_that_come_back_and_that_go_to_all(@TempDir Path folder) throws Exception {
        for (var options : List.of("ws --sizes 64,1k ", "broadcast --sizes 64 --slow --deflate ")) {
            var into = Files.createDirectory(folder.resolve(options.substring(0, 2)));
            var measured = measured(options + "--peers millrace-nio,millrace-epoll " + SHORT, into);
            assertEquals(
                    options.startsWith("ws") ? 4 : 6, measured.results().cells().size());
            measured.assertTwoRounds();
        }
    }
}
