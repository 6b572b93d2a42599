package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PublishedTest {
    private final Published published = Published.executor();

    @Test
    void every_system_has_all_six_sizes() {
        assertEquals(3, published.systems().size());
        for (var kilobytes : new int[] {1, 2, 5, 10, 50, 100}) {
            assertEquals(3, published.ofSize(kilobytes * 1024).size(), kilobytes + " k");
        }
    }

    @Test
    void a_thousand_bytes_are_one_k_too() {
        assertEquals(published.ofSize(1024), published.ofSize(1000));
    }

    @Test
    void other_sizes_have_none() {
        assertEquals(0, published.ofSize(64).size());
    }
}
