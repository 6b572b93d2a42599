package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.Forwarding.Tracing;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What becomes of W3C trace context on its way.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TraceTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    private static final String VALID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private static List<String> passed(Forwarding rules, String fields) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = Proxying.Kind.NIO_SAME.to(upstream -> upstream.forwarding(rules), backend.uri());
                var client = proxy.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n").read();
            return backend.nextHead().stream()
                    .filter(line -> line.regionMatches(true, 0, "trace", 0, 5))
                    .toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {VALID, "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes-later"})
    void a_valid_trace_passes_untouched(String trace) throws Exception {
        var fields = List.of("traceparent: " + trace, "tracestate: a=1,b=2");
        var text = String.join("\r\n", fields) + "\r\n";
        assertEquals(fields, passed(Forwarding.standard(), text));
        assertEquals(fields, passed(Forwarding.standard().tracing(Tracing.START), text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                VALID + "\r\ntraceparent: " + VALID,
            })
    void an_invalid_trace_is_left_out_with_its_state(String trace) throws Exception {
        assertEquals(List.of(), passed(Forwarding.standard(), "traceparent: " + trace + "\r\ntracestate: a=1\r\n"));
    }

    @Test
    void nothing_of_a_trace_passes_if_that_is_wanted() throws Exception {
        var fields = "traceparent: " + VALID + "\r\ntracestate: a=1\r\n";
        assertEquals(List.of(), passed(Forwarding.standard().tracing(Tracing.OFF), fields));
    }

    @Test
    void a_trace_begins_where_there_is_none_if_that_is_wanted() throws Exception {
        assertEquals(List.of(), passed(Forwarding.standard(), ""));
        var one = passed(Forwarding.standard().tracing(Tracing.START), "tracestate: a=1\r\n");
        var other = passed(Forwarding.standard().tracing(Tracing.START), "");
        for (var lines : List.of(one, other)) {
            assertEquals(1, lines.size(), lines::toString);
            assertTrue(lines.getFirst().matches("traceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-01"), lines::toString);
        }
        assertNotEquals(one, other);
    }

    @Test
    void all_attempts_of_a_request_are_of_one_trace() throws Exception {
        try (var broken = new RawBackend(visit -> {
                    visit.head();
                    visit.reset();
                });
                var alike = new RawBackend(visit -> {
                    visit.head();
                    visit.reset();
                });
                var proxy = Proxying.Kind.NIO_SAME.to(
                        upstream -> upstream.forwarding(Forwarding.standard().tracing(Tracing.START)),
                        broken.uri(),
                        alike.uri());
                var client = proxy.connect()) {
            assertEquals(502, client.get("/").read().status());
            assertEquals(trace(broken.nextHead()), trace(alike.nextHead()));
        }
    }

    private static String trace(List<String> head) {
        return head.stream()
                .filter(line -> line.startsWith("traceparent"))
                .findFirst()
                .orElseThrow();
    }
}
