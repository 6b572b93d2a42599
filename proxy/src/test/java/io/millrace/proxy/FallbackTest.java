package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.http.HttpVersion;
import io.millrace.http.door.RequiringHttp1;
import io.millrace.http.door.RequiringHttp1.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// A backend that agrees on HTTP/2 and refuses a request there, because it takes it only in HTTP/1.1
/// (HTTP_1_1_REQUIRED, RFC 9113 section 7), gets it so.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FallbackTest {
    private static final String POST = "POST /two HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n";

    private static Proxying proxy(
            Proxying.Kind kind, RequiringHttp1 backend, HttpVersion version, int attempts, long kept) {
        return kind.to(
                upstream -> upstream.version(version)
                        .tls(RequiringHttp1.trusting())
                        .retries(new Retries(Retries.STANDARD.on(), attempts, Duration.ZERO, kept)),
                backend.url());
    }

    @ParameterizedTest
    @EnumSource
    void a_request_is_repeated_there_and_takes_no_attempt(Proxying.Kind kind) throws IOException {
        try (var loops = EventLoops.configure().threads(1).start();
                var backend = RequiringHttp1.start(loops, Refusal.RESET);
                var proxy = proxy(kind, backend, HttpVersion.NEGOTIATED, 1, 0);
                var client = proxy.connect()) {
            for (int i = 0; i < 4; i++)
                assertEquals("GET /one HTTP/1.1\n", client.get("/one").read().text());
            int most = kind.mostConnections();
            assertEquals(List.of("h2", "http/1.1"), backend.agreed.subList(0, 2));
            assertTrue(backend.agreed.size() <= 2 * most, backend.agreed::toString);
            var taken = proxy.upstream().backends().orElseThrow().members().getFirst();
            // The last is counted when it is over there, which its client does not wait for.
            while (taken.answered(2) < 4) Thread.onSpinWait();
            assertEquals(4, taken.answered(2));
        }
    }

    /// What the proxy keeps of it, and what the client gets.
    @ParameterizedTest
    @CsvSource({"0, 503", "100, 200"})
    void a_body_that_is_gone_fails_and_the_next_request_goes_there(long kept, int status) throws IOException {
        try (var loops = EventLoops.configure().threads(1).start();
                var backend = RequiringHttp1.start(loops, Refusal.RESET_IN_BODY);
                var proxy = proxy(Proxying.Kind.EPOLL_SAME, backend, HttpVersion.NEGOTIATED, 2, kept);
                var client = proxy.connect()) {
            // The rest follows when the backend has refused.
            client.send(POST + "hello");
            while (status == 200 && backend.agreed.size() < 2) Thread.onSpinWait();
            if (status == 200) client.send("world");
            var answer = client.read();
            assertEquals(status, answer.status());
            if (status == 200) assertEquals("POST /two HTTP/1.1\nhelloworld", answer.text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_proxy_that_speaks_nothing_else_answers_502(Proxying.Kind kind) throws IOException {
        try (var loops = EventLoops.configure().threads(1).start();
                var backend = RequiringHttp1.start(loops, Refusal.RESET);
                var proxy = proxy(kind, backend, HttpVersion.HTTP_2, 2, 0);
                var client = proxy.connect()) {
            assertEquals(502, client.get("/one").read().status());
            assertEquals(List.of("h2"), backend.agreed);
        }
    }
}
