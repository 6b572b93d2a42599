package io.millrace.http.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.testing.AllocatedBytes;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Token buckets in time that the test makes.
class TokenBucketsTest {
    @Test
    void a_full_bucket_has_its_burst_and_then_a_token_comes_in_each_interval() {
        var buckets = new TokenBuckets(100, 3, 8);
        for (int i = 0; i < 3; i++) assertEquals(0, buckets.take(7, 1000));
        assertEquals(100, buckets.take(7, 1000));
        assertEquals(1, buckets.take(7, 1099));
        assertEquals(0, buckets.take(7, 1100));
        assertEquals(100, buckets.take(7, 1100));
    }

    @Test
    void a_bucket_that_rests_fills_up_and_not_more() {
        var buckets = new TokenBuckets(100, 3, 8);
        for (int i = 0; i < 4; i++) buckets.take(7, 0);
        for (int i = 0; i < 3; i++) assertEquals(0, buckets.take(7, 1_000_000));
        assertEquals(100, buckets.take(7, 1_000_000));
    }

    @Test
    void a_key_is_known_until_its_bucket_is_full() {
        var buckets = new TokenBuckets(100, 3, 8);
        assertFalse(buckets.knows(7, 1000));
        buckets.take(7, 1000);
        assertTrue(buckets.knows(7, 1099));
        assertFalse(buckets.knows(7, 1100));
    }

    @Test
    void keys_do_not_share_their_tokens() {
        var buckets = new TokenBuckets(100, 1, 10_000);
        for (long key = 0; key < 1000; key++) assertEquals(0, buckets.take(Mix.mix(key), 0));
        for (long key = 0; key < 1000; key++) assertEquals(100, buckets.take(Mix.mix(key), 0));
    }

    @Test
    void of_too_many_keys_the_one_with_the_most_left_is_forgotten() {
        long acted = HttpGuards.RATE_LIMIT_KEYS.count();
        var buckets = new TokenBuckets(100, 5, 8);
        for (int i = 0; i < 5; i++) buckets.take(1, 0);
        for (long key = 2; key < 100; key++) assertEquals(0, buckets.take(key, 0));
        assertEquals(100, buckets.take(1, 0), "the busiest key is still known");
        assertTrue(HttpGuards.RATE_LIMIT_KEYS.count() > acted);
    }

    @Test
    void places_of_keys_whose_buckets_are_full_again_are_had_for_nothing() {
        long acted = HttpGuards.RATE_LIMIT_KEYS.count();
        var buckets = new TokenBuckets(100, 1, 8);
        for (long key = 0; key < 800; key++) assertEquals(0, buckets.take(key, key * 100));
        assertEquals(acted, HttpGuards.RATE_LIMIT_KEYS.count());
    }

    @Test
    void the_longest_interval_and_the_largest_burst_do_not_overflow() {
        var buckets = new TokenBuckets(Long.MAX_VALUE, Integer.MAX_VALUE, 8);
        assertEquals(0, buckets.take(1, Long.MAX_VALUE / 4));
        var one = new TokenBuckets(Long.MAX_VALUE, 1, 8);
        assertEquals(0, one.take(1, 0));
        assertTrue(one.take(1, 0) > 0);
    }

    @Test
    void threads_that_take_at_a_time_get_no_more_than_there_is() throws Exception {
        var buckets = new TokenBuckets(1_000_000, 500, 8);
        var taken = new AtomicInteger();
        var threads = new ArrayList<Thread>();
        for (int t = 0; t < 4; t++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 1000; i++) if (buckets.take(5, 0) == 0) taken.incrementAndGet();
            }));
        }
        for (var thread : threads) thread.join();
        assertEquals(500, taken.get());
    }

    @Test
    void taking_allocates_nothing() {
        var buckets = new TokenBuckets(100, 10, 1000);
        for (long i = 0; i < 20_000; i++) buckets.take(Mix.mix(i & 511), i);
        long before = AllocatedBytes.now();
        for (long i = 20_000; i < 40_000; i++) buckets.take(Mix.mix(i & 511), i);
        assertTrue(AllocatedBytes.now() - before < 4096, "bytes for 20 000 tokens: " + (AllocatedBytes.now() - before));
    }
}
