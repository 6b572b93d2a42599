package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.HttpVersion;
import io.millrace.http.raw.FrameText;
import io.millrace.proxy.upstream.Outcome;
import java.io.IOException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Backends that answer over HTTP/2 what nobody may believe: their client sees a failure, and no place stays
/// taken.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileHttp2BackendsTest {
    /// Sends the head of a response without a body.
    private static RawBackend answering(String... fields) throws IOException {
        return RawBackend.ofHttp2((frame, visit) -> {
            if (frame.type() == FrameText.HEADERS)
                visit.send(FrameText.whole(frame.stream(), FrameText.fields(fields)));
        });
    }

    private static Proxying to(RawBackend backend) {
        return Proxying.Kind.EPOLL_SAME.to(
                upstream -> upstream.version(HttpVersion.HTTP_2), "http://127.0.0.1:" + backend.port());
    }

    @ParameterizedTest
    @CsvSource({
        "GET, 000, 0",
        "GET, 099, 0",
        "GET, 600, 0",
        "GET, 999, 0",
        "GET, 2000, 0",
        "GET, 200, abc",
        "HEAD, 200, abc",
        "HEAD, 200, -1",
        "HEAD, 200, 99999999999999999999",
        "GET, 204, abc",
        "GET, 304, 99999999999999999999"
    })
    void what_is_no_head_is_502(String method, String status, String length) throws IOException {
        try (var backend = answering(":status", status, "content-length", length);
                var proxy = to(backend);
                var client = proxy.connect()) {
            client.send(method + " / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertEquals(502, client.read(!method.equals("HEAD")).status());
            var counted = proxy.upstream().backends().orElseThrow().members().getFirst();
            assertEquals(0, counted.requests().taken());
            assertEquals(1, counted.ended(Outcome.BAD_RESPONSE));
        }
    }
}
