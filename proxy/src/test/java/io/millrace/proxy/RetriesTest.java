package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.Retries.Condition;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.testing.Machine;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Which requests are sent to a second backend, and what clients are told when nobody answers.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RetriesTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";

    private static RawBackend resetting() throws Exception {
        return new RawBackend(visit -> {
            visit.head();
            visit.reset();
        });
    }

    /// An address at which nobody listens.
    private static String nobody() throws Exception {
        return "http://127.0.0.1:" + Machine.closedPort();
    }

    @ParameterizedTest
    @EnumSource
    void any_request_that_was_not_sent_goes_to_another_backend(Proxying.Kind kind) throws Exception {
        try (var good = RawBackend.answering(OK);
                var proxy = kind.to(nobody(), good.uri());
                var client = proxy.connect()) {
            for (int i = 0; i < 4; i++)
                assertEquals("hello", client.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_request_with_a_body_of_which_nothing_was_sent_goes_to_another_backend(Proxying.Kind kind) throws Exception {
        try (var good = new RawBackend(visit -> {
                    while (true) {
                        visit.head();
                        RawClient.exactly(visit.in, 2);
                        visit.send(OK);
                    }
                });
                var proxy = kind.to(nobody(), good.uri());
                var client = proxy.connect()) {
            for (int i = 0; i < 4; i++)
                assertEquals("hello", client.send(POST).read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_idempotent_one_that_was_cut_goes_to_another_backend(Proxying.Kind kind) throws Exception {
        try (var bad = resetting();
                var good = RawBackend.answering(OK);
                var proxy = kind.to(bad.uri(), good.uri());
                var client = proxy.connect()) {
            for (int i = 0; i < 4; i++)
                assertEquals("hello", client.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void another_that_was_cut_is_never_sent_twice(Proxying.Kind kind) throws Exception {
        try (var bad = resetting();
                var other = resetting();
                var proxy = kind.to(bad.uri(), other.uri());
                var client = proxy.connect()) {
            assertEquals(502, client.send(POST).read().status());
            assertEquals(1, bad.connections() + other.connections());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_status_is_a_reason_when_it_is_named(Proxying.Kind kind) throws Exception {
        var on = new Retries(Set.of(Condition.STATUS_503), 2, Duration.ZERO, 0);
        try (var bad = RawBackend.answering("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy");
                var good = RawBackend.answering(OK);
                var proxy = kind.to(upstream -> upstream.retries(on), bad.uri(), good.uri());
                var client = proxy.connect()) {
            for (int i = 0; i < 4; i++)
                assertEquals("hello", client.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_last_backend_answers_whatever_it_says(Proxying.Kind kind) throws Exception {
        var on = new Retries(Set.of(Condition.STATUS_503), 3, Duration.ZERO, 0);
        try (var bad = RawBackend.answering("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy");
                var proxy = kind.to(upstream -> upstream.retries(on), bad.uri());
                var client = proxy.connect()) {
            assertEquals("busy", client.get("/").read().text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_response_passes_when_the_other_backends_have_no_room(Proxying.Kind kind) throws Exception {
        var on = new Retries(Set.of(Condition.STATUS_503), 2, Duration.ZERO, 0);
        var one = UpstreamLimits.standard().requestsPerBackend(1);
        try (var bad = RawBackend.answering("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy");
                var full = new RawBackend(visit -> {
                    visit.head();
                    visit.awaitEnd();
                });
                var proxy = kind.to(upstream -> upstream.retries(on).limits(one), bad.uri(), full.uri());
                var waiting = proxy.connect();
                var client = proxy.connect()) {
            waiting.get("/");
            full.heads.take();
            var reply = client.get("/").read();
            assertEquals("503 busy", reply.status() + " " + reply.text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_does_not_answer_is_told_as_504(Proxying.Kind kind) throws Exception {
        try (var silent = new RawBackend(visit -> {
                    visit.head();
                    visit.awaitEnd();
                });
                var proxy = kind.to(upstream -> upstream.firstByteTimeout(Duration.ofMillis(100)), silent.uri());
                var client = proxy.connect()) {
            assertEquals(504, client.get("/").read().status());
            silent.awaitClosed();
        }
    }

    @ParameterizedTest
    @EnumSource
    void nobody_to_ask_is_told_at_once(Proxying.Kind kind) throws Exception {
        var health = Health.passive()
                .ejectionFailures(1)
                .ejectionTime(Duration.ofMinutes(1))
                .maxEjectedPercent(100);
        try (var proxy = kind.to(upstream -> upstream.health(health), nobody(), nobody());
                var client = proxy.connect()) {
            // The first one finds out, and after that nobody is left to try.
            for (int i = 0; i < 2; i++) {
                var refused = client.get("/").read();
                assertEquals(503, refused.status());
                assertTrue(Integer.parseInt(refused.header("Retry-After")) > 0);
            }
        }
    }
}
