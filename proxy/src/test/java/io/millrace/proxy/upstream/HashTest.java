package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Keys stay where they are, as far as that is possible.
class HashTest {
    private static final int KEYS = 20_000;

    @Test
    void a_key_always_goes_to_the_same_backend() {
        var upstream = Upstreams.of(Balance.HASH, Upstreams.equal(20));
        assertEquals(Upstreams.keys(upstream, KEYS), Upstreams.keys(upstream, KEYS));
    }

    @Test
    void the_order_of_the_list_and_the_seed_do_not_matter() {
        var turned = new ArrayList<>(Upstreams.equal(20));
        Collections.shuffle(turned, new Random(5));
        var one = Upstreams.keys(Upstreams.of(Balance.HASH, Upstreams.equal(20)), KEYS);
        var other = Upstreams.keys(Upstreams.of(Balance.HASH, turned), KEYS);
        for (int key = 0; key < KEYS; key++) {
            assertEquals(one.get(key).address(), other.get(key).address());
        }
    }

    @Test
    void when_one_fails_only_its_own_keys_move_and_come_back() {
        Upstreams.forEachSeed(20, random -> {
            var upstream = Upstreams.of(Balance.HASH, Upstreams.equal(2 + random.nextInt(40)));
            var before = Upstreams.keys(upstream, KEYS);
            var ill = upstream.members().get(random.nextInt(upstream.members().size()));
            upstream.found(ill, false, "ill", Upstreams.START);
            var during = Upstreams.keys(upstream, KEYS);
            for (int key = 0; key < KEYS; key++) {
                if (before.get(key) == ill) assertNotEquals(ill, during.get(key));
                else assertEquals(before.get(key), during.get(key));
            }
            upstream.found(ill, true, "well", Upstreams.START);
            assertEquals(before, Upstreams.keys(upstream, KEYS));
        });
    }

    @Test
    void keys_of_one_that_fails_are_spread_over_the_others() {
        var upstream = Upstreams.of(Balance.HASH, Upstreams.equal(5));
        var ill = upstream.members().getFirst();
        var before = Upstreams.keys(upstream, 5 * KEYS);
        upstream.found(ill, false, "ill", Upstreams.START);
        var moved = new int[5];
        var now = Upstreams.keys(upstream, 5 * KEYS);
        for (int key = 0; key < 5 * KEYS; key++) {
            if (before.get(key) == ill) moved[upstream.members().indexOf(now.get(key))]++;
        }
        for (int i = 1; i < 5; i++) assertEquals(KEYS / 4.0, moved[i], 0.1 * KEYS / 4.0);
    }

    @Test
    void when_many_are_away_in_any_order_a_key_that_is_served_stays() {
        Upstreams.forEachSeed(10, random -> {
            var upstream = Upstreams.of(Balance.HASH, Upstreams.equal(30));
            var left = new ArrayList<>(upstream.members());
            while (left.size() > 1) {
                var before = Upstreams.keys(upstream, 1000);
                var ill = left.remove(random.nextInt(left.size()));
                upstream.found(ill, false, "ill", Upstreams.START);
                var now = Upstreams.keys(upstream, 1000);
                for (int key = 0; key < 1000; key++) {
                    if (before.get(key) != ill) assertEquals(before.get(key), now.get(key));
                }
            }
        });
    }

    @Test
    void when_the_list_changes_few_keys_of_others_move() {
        Upstreams.forEachSeed(20, random -> {
            var list = new ArrayList<Endpoint>(Upstreams.equal(2 + random.nextInt(40)));
            var upstream = Upstreams.of(Balance.HASH, list);
            var before = Upstreams.keys(upstream, KEYS);
            var gone = list.remove(random.nextInt(list.size()));
            upstream.update(List.copyOf(list), Upstreams.START);
            var after = Upstreams.keys(upstream, KEYS);
            int moved = 0;
            for (int key = 0; key < KEYS; key++) {
                boolean isOthers = !before.get(key).address().equals(gone.address());
                if (isOthers && before.get(key) != after.get(key)) moved++;
            }
            assertTrue(moved < 0.05 * KEYS, moved + " keys moved");
        });
    }
}
