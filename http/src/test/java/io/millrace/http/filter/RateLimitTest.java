package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Request;
import io.millrace.http.Response;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// How often somebody may ask, by a clock of the test.
class RateLimitTest {
    @Test
    void tokens_come_with_time() throws Exception {
        var now = new AtomicLong(-5_000_000_000L);
        var limit = RateLimit.of(10, Duration.ofSeconds(1), 1).clock(now::get);
        var handler = limit.together().around(_ -> Response.status(204));
        assertEquals(204, handler.handle(Request.get("/")).status());
        var refused = handler.handle(Request.get("/"));
        assertEquals(429, refused.status());
        assertEquals("1", refused.header("Retry-After").orElseThrow());
        now.addAndGet(100_000_000);
        assertEquals(204, handler.handle(Request.get("/")).status());
    }

    @Test
    void a_copy_has_buckets_of_its_own() throws Exception {
        var limit = RateLimit.of(1, Duration.ofHours(1), 1).together();
        assertEquals(204, status(limit));
        var copy = limit.keys(7);
        assertEquals(204, status(copy));
        assertEquals(429, status(limit));
        assertEquals(7, copy.keys());
        assertEquals(100_000, limit.keys());
    }

    @Test
    void it_does_not_start_without_what_was_set_and_dropped() throws Exception {
        var limit = RateLimit.of(1, Duration.ofHours(1), 1);
        var _ = limit.byHeader("X-Api-Key");
        var refusal = assertThrows(IllegalStateException.class, () -> status(limit));
        assertTrue(refusal.toString().contains("what byHeader(…) returned"), refusal::toString);
        assertEquals(204, status(limit), "it was said once");
        var other = RateLimit.of(1, Duration.ofHours(1), 1);
        var _ = other.together();
        assertThrows(IllegalStateException.class, () -> other.take(new InetSocketAddress(0)));
    }

    private static int status(RateLimit limit) throws Exception {
        return limit.around(_ -> Response.status(204)).handle(Request.get("/")).status();
    }
}
