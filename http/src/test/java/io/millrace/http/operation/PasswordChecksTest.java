package io.millrace.http.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.operation.PasswordChecks.PasswordVerdict;
import io.millrace.http.operation.PasswordChecks.PasswordVerdict.Checked;
import io.millrace.http.operation.PasswordChecks.PasswordVerdict.Refused;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/// Passwords that are checked when the test says so, at times that it makes.
class PasswordChecksTest {
    private static final SocketAddress ADA = at("192.0.2.1");
    private static final SocketAddress EVE = at("198.51.100.1");
    private static final long SECOND = 1_000_000_000;

    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final PasswordThreads threads = new PasswordThreads(waiting::add);
    private long now = -5 * SECOND;
    private int asked;
    private final PasswordChecks checks = new PasswordChecks(Map.of("ada", this::isRight), threads, () -> now);

    private boolean isRight(char[] password) {
        asked++;
        return new String(password).equals("secret");
    }

    private static SocketAddress at(String address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), 9);
    }

    private PasswordVerdict check(String password, SocketAddress client) {
        var text = ("ada:" + password).getBytes(StandardCharsets.UTF_8);
        return checks.check("Basic " + Base64.getEncoder().encodeToString(text), client);
    }

    private CompletableFuture<Boolean> begun(String password, SocketAddress client) {
        return assertInstanceOf(Checked.class, check(password, client)).isRight();
    }

    /// So many checks are under way.
    private void begin(int count, IntFunction<SocketAddress> clients) {
        for (int i = 0; i < count; i++) {
            var _ = begun("wrong" + i, clients.apply(i));
        }
    }

    private boolean answer(String password, SocketAddress client) {
        var answer = begun(password, client);
        runAll();
        return answer.join();
    }

    private void runAll() {
        for (var next = waiting.poll(); next != null; next = waiting.poll()) next.run();
    }

    @Test
    void those_that_wait_are_bounded() {
        long acted = HttpGuards.BASIC_AUTH.count();
        begin(PasswordThreads.MOST, i -> at("192.0.2." + i));
        assertEquals(new Refused(503, 1), check("one more", EVE));
        assertEquals(acted + 1, HttpGuards.BASIC_AUTH.count());
        runAll();
        assertTrue(answer("secret", EVE));
    }

    @Test
    void a_client_has_a_few_of_those_that_wait() {
        long acted = HttpGuards.BASIC_AUTH_SHARE.count();
        begin(PasswordThreads.SHARE, i -> at("2001:db8::" + i));
        assertEquals(new Refused(429, 1), check("one more", at("2001:db8::ffff")));
        assertEquals(acted + 1, HttpGuards.BASIC_AUTH_SHARE.count());
        begin(1, _ -> at("2001:db8:0:1::1"));
        assertFalse(begun("no address", UnixDomainSocketAddress.of("/a")).isDone());
        runAll();
        assertFalse(begun("one more", at("2001:db8::ffff")).isDone());
    }

    @Test
    void who_is_wrong_too_often_waits_and_what_is_known_to_be_right_passes() {
        long acted = HttpGuards.BASIC_AUTH_MISTAKES.count();
        assertTrue(answer("secret", ADA));
        for (int i = 0; i < PasswordChecks.MISTAKES; i++) assertFalse(answer("wrong" + i, EVE));
        assertEquals(new Refused(429, 10), check("wrong", EVE));
        now += 9 * SECOND;
        assertEquals(new Refused(429, 1), check("wrong", EVE));
        assertEquals(acted + 2, HttpGuards.BASIC_AUTH_MISTAKES.count());
        assertTrue(begun("secret", EVE).join());
        assertFalse(answer("wrong", ADA), "another client");
        now += SECOND;
        assertFalse(answer("again", EVE));
        assertEquals(new Refused(429, 10), check("and again", EVE));
    }

    /// A program that repeats an old password takes nobody else's tries.
    @Test
    void the_same_mistake_again_is_none() {
        assertFalse(answer("old", EVE));
        int before = asked;
        for (int i = 0; i < 2 * PasswordChecks.MISTAKES; i++)
            assertFalse(begun("old", EVE).join());
        assertEquals(before, asked);
        assertTrue(answer("secret", EVE));
    }

    @Test
    void a_check_that_no_thread_takes_leaves_nothing() {
        var isOut = new AtomicBoolean(true);
        var few = new PasswordThreads(task -> {
            if (isOut.get()) throw new OutOfMemoryError("unable to create native thread, as told");
            task.run();
        });
        var mine = new PasswordChecks(Map.of("ada", this::isRight), few, () -> now);
        var right = "Basic " + Base64.getEncoder().encodeToString("ada:secret".getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < 2 * PasswordThreads.MOST; i++)
            assertThrows(OutOfMemoryError.class, () -> mine.check(right, EVE));
        isOut.set(false);
        assertTrue(assertInstanceOf(Checked.class, mine.check(right, EVE))
                .isRight()
                .join());
    }

    @Test
    void who_is_right_makes_no_mistake() {
        for (int i = 0; i < 2 * PasswordChecks.MISTAKES; i++) {
            var others = new PasswordChecks(Map.of("ada", this::isRight), threads, () -> now);
            var text = Base64.getEncoder().encodeToString("ada:secret".getBytes(StandardCharsets.UTF_8));
            var answer = assertInstanceOf(Checked.class, others.check("Basic " + text, ADA))
                    .isRight();
            runAll();
            assertTrue(answer.join());
        }
    }

    /// Whatever a flood does and whenever it comes, a good user waits for as many checks as a client may have.
    @Test
    void a_flood_of_one_client_keeps_others_waiting_for_a_few_checks_only() {
        for (int seed = 1; seed <= 200; seed++) flood(new Random(seed), "seed " + seed);
    }

    private static void flood(Random random, String seed) {
        var mine = new PasswordChecksTest();
        for (int i = 0; i < 1000; i++) {
            mine.now += random.nextLong(SECOND / 10);
            if (random.nextInt(4) == 0 && !mine.waiting.isEmpty())
                mine.waiting.remove().run();
            mine.check("wrong" + random.nextInt(500), EVE);
        }
        var good = mine.begun("secret", ADA);
        int before = mine.asked;
        while (!good.isDone()) mine.waiting.remove().run();
        assertTrue(good.join());
        assertTrue(
                mine.asked - before <= PasswordThreads.SHARE + 1,
                () -> seed + ": checks in front: " + (mine.asked - before));
    }

    @Test
    void the_same_password_is_checked_once_at_a_time_and_not_again_when_it_was_right() {
        var first = begun("secret", ADA);
        var second = begun("secret", EVE);
        runAll();
        assertTrue(first.join() && second.join());
        assertTrue(begun("secret", EVE).join());
        assertEquals(1, asked);
    }
}
