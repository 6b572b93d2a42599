package io.millrace;

import static io.millrace.Eventually.until;
import static io.millrace.Eventually.untilStill;
import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import io.millrace.os.CallSite;
import io.millrace.os.Errno;
import io.millrace.os.Faults;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// The kernel refuses one call of one kind, with each error, and later the next one of its kind.
@Tag("slow")
@Tag("shipping")
@Timeout(value = 40, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FaultsTest {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final byte[] SENT = new byte[300_000];

    static {
        new Random(7).nextBytes(SENT);
    }

    static Stream<Arguments> sites() {
        return Stream.concat(
                CallSite.ofEpoll().map(site -> Arguments.of(FaultyLoops.EPOLL, site)),
                CallSite.ofUring().map(site -> Arguments.of(FaultyLoops.URING, site)));
    }

    /// Fails one call, the so-many-th of its kind.
    private static final class Once implements IntUnaryOperator {
        private final CallSite site;
        private final int errno;
        private final AtomicInteger before;

        Once(CallSite site, int errno, int before) {
            this.site = site;
            this.errno = errno;
            this.before = new AtomicInteger(before);
        }

        @Override
        public int applyAsInt(int number) {
            return number == site.number() && before.getAndDecrement() == 0 ? errno : 0;
        }

        boolean hasFailed() {
            return before.get() < 0;
        }

        @Override
        public String toString() {
            return site + " " + Errno.name(errno);
        }
    }

    /// A JVM opens files of its own meanwhile.
    @BeforeAll
    static void nothingFails() throws Exception {
        try (var loops = FaultyLoops.EPOLL.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            assertServes(loops, server, "nothing");
        }
    }

    @AfterEach
    void noMore() {
        Faults.plan(null);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("sites")
    void a_refused_call_leaks_nothing_spins_nowhere_and_loses_no_byte(FaultyLoops kind, CallSite site)
            throws Exception {
        kind.assumeWorks();
        boolean wasCalled = false;
        for (int errno : site.errnos()) {
            wasCalled |= withstands(kind, new Once(site, errno, 0), true);
            for (int before = 0; before < 3; before++)
                wasCalled |= withstands(kind, new Once(site, errno, before), false);
        }
        assertTrue(wasCalled, () -> site + " was never called");
    }

    /// Refuses one call, the so-many-th of all that a start makes, and counts mappings of memory.
    private static final class OneOfAll implements IntUnaryOperator {
        private static final int OUT_OF_MEMORY = 12;
        private final AtomicInteger before;
        private final AtomicInteger mappings = new AtomicInteger();

        OneOfAll(int before) {
            this.before = new AtomicInteger(before);
        }

        @Override
        public int applyAsInt(int number) {
            if (!CallSite.mayFail(number)) {
                if (CallSite.isUnmapping(number)) mappings.decrementAndGet();
                return 0;
            }
            if (before.getAndDecrement() == 0) return OUT_OF_MEMORY;
            if (CallSite.isMapping(number)) mappings.incrementAndGet();
            return 0;
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_start_that_fails_at_any_call_leaves_nothing_behind(FaultyLoops kind) {
        kind.assumeWorks();
        long descriptors = Proc.descriptors();
        int failed = 0;
        for (int before = 0; before < 1000; before++) {
            var fault = new OneOfAll(before);
            Faults.plan(fault);
            boolean wasReached = false;
            try (var loops = kind.start(2)) {
                wasReached = fault.before.getAndSet(-1) < 0;
                assertEquals(2, loops.all().size());
            } catch (UncheckedIOException | IllegalStateException e) {
                wasReached = true;
                failed++;
                assertFalse(String.valueOf(e.getMessage()).isBlank());
            }
            int which = before;
            assertEquals(0, fault.mappings.get(), () -> "mappings, after call " + which);
            until(() -> Proc.descriptors() <= descriptors);
            if (!wasReached) break;
        }
        assertTrue(failed > 3, failed + " calls of a start were refused");
    }

    /// @param fromStart whether the call may be one that starts the loop; otherwise it serves by then
    /// @return whether there was such a call
    private static boolean withstands(FaultyLoops kind, Once fault, boolean fromStart) throws Exception {
        long descriptors = Proc.descriptors();
        if (fromStart) Faults.plan(fault);
        try (var loops = kind.start(1);
                var server = Tcp.listen(local(loops), ECHO)) {
            Faults.plan(fault);
            assertServes(loops, server, fault.toString());
        } catch (UncheckedIOException | IllegalStateException e) {
            // It could not begin.
            assertFalse(String.valueOf(e.getMessage()).isBlank(), fault::toString);
        }
        Faults.plan(null);
        until(() -> Proc.descriptors() <= descriptors);
        return fault.hasFailed();
    }

    private static void assertServes(EventLoops loops, Server server, String what) throws Exception {
        for (int i = 0; i < 3; i++) assertEchoesOrResets(server, what);
        assertConnectsOrSaysWhyNot(loops, server);
        assertStaysStill(loops, what);
    }

    /// A peer gets what it sent and the end behind it, or nothing, or a part and a reset: never an end in the middle.
    private static void assertEchoesOrResets(Server server, String what) throws Exception {
        try (var socket = RawPeer.of(server).socket()) {
            socket.setSoTimeout(10_000);
            var sender = CompletableFuture.supplyAsync(() -> sendsAndEnds(socket));
            var echoed = new ByteArrayOutputStream();
            boolean hasEnded = readAll(socket, echoed, what);
            int length = echoed.size();
            assertArrayEquals(Arrays.copyOf(SENT, length), echoed.toByteArray(), what);
            // A reset is told once, and it may be the sender who hears of it.
            boolean isReset = !sender.get() || !hasEnded;
            assertTrue(isReset || length == 0 || length == SENT.length, () -> what + ": an end after " + length);
        }
    }

    private static boolean sendsAndEnds(Socket socket) {
        try {
            socket.getOutputStream().write(SENT);
            socket.shutdownOutput();
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /// Whether the peer ended, and did not reset.
    private static boolean readAll(Socket socket, ByteArrayOutputStream all, String what) {
        var some = new byte[64 << 10];
        try {
            var in = socket.getInputStream();
            for (int count = in.read(some); count >= 0; count = in.read(some)) all.write(some, 0, count);
            return true;
        } catch (SocketTimeoutException e) {
            throw new AssertionError(what + ": nothing comes any more after " + all.size() + " bytes", e);
        } catch (IOException _) {
            return false;
        }
    }

    private static void assertConnectsOrSaysWhyNot(EventLoops loops, Server server) {
        try (var client = Tcp.connect(Connect.to(server.address()).loops(loops))) {
            client.output().writeUtf8("hello");
            client.end();
            while (client.read()) client.input().skip(client.input().remaining());
        } catch (IOException e) {
            assertFalse(String.valueOf(e.getMessage()).isBlank());
        }
    }

    /// Waits until the loop makes no turn any more, which one that spins never does.
    private static void assertStaysStill(EventLoops loops, String what) throws Exception {
        untilStill(what + ": turns", () -> loops.counters().getFirst().turns(), 20);
    }
}
