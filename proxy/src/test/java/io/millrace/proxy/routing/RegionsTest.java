package io.millrace.proxy.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RegionsTest {
    @Test
    void it_finds_what_a_map_would_find() {
        var random = new Random(5);
        for (int round = 0; round < 200; round++) {
            var map = new HashMap<String, Integer>();
            for (int i = random.nextInt(40); i > 0; i--) map.put(word(random), i);
            var regions = Regions.of(Map.copyOf(map));
            for (int i = 0; i < 100; i++) {
                var word = word(random);
                assertEquals(map.get(word), regions.find("/" + word + "/x", 1, 1 + word.length()), word + " in " + map);
            }
        }
    }

    private static String word(Random random) {
        var word = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) word.append((char) ('a' + random.nextInt(4)));
        return word.toString();
    }

    @Test
    void case_counts_unless_it_is_told_otherwise() {
        assertNull(Regions.of(Map.of("abc", 1)).find("ABC", 0, 3));
        assertEquals(1, Regions.ignoringCase(Map.of("abc", 1)).find("xAbCx", 1, 4));
    }

    @Test
    void without_keys_nothing_is_found() {
        assertNull(Regions.of(Map.of()).find("a", 0, 1));
    }
}
