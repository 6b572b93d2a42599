package io.millrace.proxy;

import static io.millrace.http.raw.FrameText.DATA;
import static io.millrace.http.raw.FrameText.HEADERS;
import static io.millrace.http.raw.FrameText.data;
import static io.millrace.http.raw.FrameText.fields;
import static io.millrace.http.raw.FrameText.headers;
import static io.millrace.http.raw.FrameText.read;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.HttpVersion;
import io.millrace.http.raw.FrameText;
import java.io.IOException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Calls of gRPC where bodies are collected: each side may wait for a message of the other.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CollectedCallsTest {
    private static final String TYPE = fields("content-type", "application/grpc");

    @ParameterizedTest
    @EnumSource
    void messages_pass_as_they_come(Proxying.Kind kind) throws IOException {
        try (var backend = RawBackend.ofHttp2((frame, visit) -> {
                    int id = frame.stream();
                    if (frame.type() == HEADERS) visit.send(headers(id, FrameText.OK + TYPE));
                    else visit.send(data(id, "answer to " + frame.payload()));
                });
                var proxy = kind.to(
                        upstream -> upstream.version(HttpVersion.HTTP_2).collect(64 << 10),
                        "http://127.0.0.1:" + backend.port());
                var client = proxy.connect()) {
            var head = fields(":method", "POST", ":scheme", "http", ":path", "/", ":authority", "a");
            client.send(FrameText.PREFACE + FrameText.HELLO + headers(1, head + TYPE));
            for (var message : new String[] {"one", "two"}) {
                client.send(data(1, message));
                assertEquals("answer to " + message, read(client.in(), DATA, 1).payload());
            }
        }
    }
}
