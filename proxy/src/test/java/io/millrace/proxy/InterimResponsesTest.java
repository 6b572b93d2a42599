package io.millrace.proxy;

import static io.millrace.http.raw.FrameText.OK;
import static io.millrace.http.raw.FrameText.end;
import static io.millrace.http.raw.FrameText.fields;
import static io.millrace.http.raw.FrameText.headers;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Input;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.ResponseReader;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What comes ahead of a response (RFC 8297), from either version to either version.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterimResponsesTest {
    /// All of a response, in the order in which it came.
    private static final class All implements ResponseReader<List<String>> {
        private final List<String> parts = new ArrayList<>();

        @Override
        public void onInterim(Response head) {
            parts.add(head.status() + " " + head.header("Link").orElse(""));
        }

        @Override
        public void onHead(Response head) {
            parts.add("" + head.status());
        }

        @Override
        public void onBody(Input part) {
            parts.add(part.readUtf8(part.remaining()));
        }

        @Override
        public List<String> onEnd() {
            return parts;
        }
    }

    private static RawBackend backend(HttpVersion version) throws IOException {
        if (version == HttpVersion.HTTP_1_1) {
            var hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
            return RawBackend.answering(hints + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        }
        return RawBackend.ofHttp2((frame, visit) -> {
            int id = frame.stream();
            visit.send(headers(id, fields(":status", "103", "link", "</a.css>")));
            visit.send(headers(id, OK) + end(id, "hello"));
        });
    }

    @ParameterizedTest
    @CsvSource({"HTTP_1_1, HTTP_1_1", "HTTP_1_1, HTTP_2", "HTTP_2, HTTP_1_1", "HTTP_2, HTTP_2"})
    void hints_pass_ahead_of_their_response(HttpVersion from, HttpVersion to) throws IOException {
        try (var backend = backend(to);
                var proxy = Proxying.Kind.EPOLL_SAME.to(upstream -> upstream.version(to), backend.uri());
                var client = HttpClient.of(ClientSettings.standard().version(from))) {
            var request = Request.get("http://127.0.0.1:" + proxy.server().port() + "/");
            assertEquals(
                    List.of("103 </a.css>", "200", "hello"),
                    client.sendAsync(request, new All()).join());
        }
    }
}
