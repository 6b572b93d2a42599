package io.millrace.proxy.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.loop.Guard;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Passwords that take as long to check as the test says.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PasswordChecksTest {
    private static final InetSocketAddress PEER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

    private final CountDownLatch free = new CountDownLatch(1);
    private final AtomicInteger asked = new AtomicInteger();
    private final PasswordChecks checks = new PasswordChecks(Map.of("ada", this::isRight));

    private boolean isRight(char[] password) {
        asked.incrementAndGet();
        try {
            free.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return new String(password).equals("secret");
    }

    private Optional<CompletableFuture<Boolean>> check(String password) {
        var text = ("ada:" + password).getBytes(StandardCharsets.UTF_8);
        return checks.check("Basic " + Base64.getEncoder().encodeToString(text), PEER);
    }

    @Test
    void those_that_wait_are_bounded() throws Exception {
        long acted = Guard.BASIC_AUTH.count();
        var taken = new ArrayList<CompletableFuture<Boolean>>();
        for (var next = check("wrong"); next.isPresent(); next = check("wrong" + taken.size())) taken.add(next.get());
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        assertTrue(taken.size() >= 64 && taken.size() <= 64 + threads, () -> taken.size() + " were taken");
        assertTrue(Guard.BASIC_AUTH.count() > acted);
        free.countDown();
        for (var one : taken) assertFalse(one.get());
    }

    @Test
    void the_same_password_is_checked_once_at_a_time_and_not_again_when_it_was_right() throws Exception {
        var first = check("secret").orElseThrow();
        var second = check("secret").orElseThrow();
        free.countDown();
        assertTrue(first.get() && second.get());
        var third = check("secret").orElseThrow();
        assertTrue(third.isDone() && third.get());
        assertEquals(1, asked.get());
    }
}
