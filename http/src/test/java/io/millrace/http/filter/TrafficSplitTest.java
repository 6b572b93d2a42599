package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests that are shared by weight.
class TrafficSplitTest {
    private static final int MANY = 20_000;

    private static HttpHandler saying(String name) {
        return _ -> Response.ok(name);
    }

    private static TrafficSplit split(int stable, int next) {
        return TrafficSplit.of(stable, saying("stable")).and(next, saying("next"));
    }

    private static long key(Request request) {
        return Long.parseLong(request.path().substring(1));
    }

    private static String answer(TrafficSplit split, long key) throws Exception {
        return split.handle(Request.get("/" + key)).text();
    }

    private static Map<String, Integer> answers(TrafficSplit split) throws Exception {
        var counts = new HashMap<String, Integer>();
        for (int i = 0; i < MANY; i++) counts.merge(answer(split, i), 1, Integer::sum);
        return counts;
    }

    @ParameterizedTest
    @CsvSource({"95, 5", "1, 1", "1, 99", "1000000, 1000000"})
    void each_gets_its_share_drawn_or_by_key(int stable, int next) throws Exception {
        double share = (double) next / (stable + next);
        for (var split :
                new TrafficSplit[] {split(stable, next), split(stable, next).by(TrafficSplitTest::key)}) {
            double got = answers(split).getOrDefault("next", 0) / (double) MANY;
            assertEquals(share, got, 0.03);
        }
    }

    @Test
    void a_weight_of_0_gets_nothing() throws Exception {
        assertEquals(Map.of("stable", MANY), answers(split(1, 0)));
        assertEquals(Map.of("next", MANY), answers(split(0, 1)));
    }

    @Test
    void a_key_stays_where_it_is_and_a_share_that_grows_keeps_its_own() throws Exception {
        var before = split(95, 5).by(TrafficSplitTest::key);
        var same = split(950, 50).by(TrafficSplitTest::key);
        var after = split(80, 20).by(TrafficSplitTest::key);
        int moved = 0;
        for (int i = 0; i < MANY; i++) {
            var was = answer(before, i);
            assertEquals(was, answer(before, i));
            assertEquals(was, answer(same, i));
            var is = answer(after, i);
            if (was.equals("next")) assertEquals("next", is);
            if (!was.equals(is)) moved++;
        }
        assertEquals(0.15, moved / (double) MANY, 0.03);
    }

    @Test
    void a_split_behind_a_split_by_the_same_key_is_a_whole_one() throws Exception {
        var inner = split(1, 1).by(request -> key(request) * 31);
        var counts = answers(TrafficSplit.of(1, saying("none")).and(1, inner).by(TrafficSplitTest::key));
        for (var name : new String[] {"stable", "next"})
            assertEquals(0.25, counts.getOrDefault(name, 0) / (double) MANY, 0.03);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, TrafficSplit.MOST_WEIGHT + 1})
    void a_weight_out_of_range_is_refused(int weight) {
        assertThrows(IllegalArgumentException.class, () -> split(1, weight));
    }

    @Test
    void weights_that_are_all_0_are_refused_at_the_first_request() {
        assertThrows(IllegalStateException.class, () -> answer(split(0, 0), 1));
    }

    @Test
    void a_simulation_draws_the_same_again() {
        var first = drawn();
        assertEquals(first, drawn());
        assertEquals(2, first.stream().distinct().count(), first::toString);
    }

    private static List<String> drawn() {
        try (var network = new Simulation(7)) {
            try (var _ = Http.listen(network.on(80), split(1, 1))) {
                var peer = network.connect(80)
                        .send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(32))
                        .end();
                network.run();
                return Pattern.compile("\r\n\r\n(stable|next)")
                        .matcher(peer.received())
                        .results()
                        .map(found -> found.group(1))
                        .toList();
            }
        }
    }
}
