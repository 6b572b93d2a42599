package io.millrace.os;

import static io.millrace.os.Constants.IORING_CQE_F_MORE;
import static io.millrace.os.Constants.IORING_OP_NOP;
import static io.millrace.os.Constants.IORING_OP_SEND;
import static io.millrace.os.Constants.POLLIN;
import static io.millrace.os.Constants.SOCK_STREAM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IoUringTest {
    private static final int SUBMISSIONS = 4;
    private static final int COMPLETIONS = 8;

    private final Linux linux = new Linux();
    private final IoUring ring = setUp(linux);

    /// A container may forbid io_uring.
    private static IoUring setUp(Linux linux) {
        try {
            return IoUring.setUp(linux, SUBMISSIONS, COMPLETIONS);
        } catch (IOException e) {
            return Assumptions.abort(e.toString());
        }
    }

    @AfterEach
    void close() {
        ring.close();
    }

    @Test
    void a_submission_completes_with_its_data() {
        ring.nop(0x0123_4567_89AB_CDEFL);
        assertEquals(1, ring.unsubmitted());
        ring.enter(Long.MAX_VALUE);
        assertEquals(0, ring.unsubmitted());
        assertEquals(1, ring.ready());
        ring.advance();
        assertEquals(0x0123_4567_89AB_CDEFL, ring.data());
        assertEquals(0, ring.result());
        assertEquals(0, ring.ready());
    }

    @Test
    void a_wait_ends_when_its_time_is_over() {
        ring.enter(1);
        ring.enter(2_000_000);
        assertEquals(0, ring.ready());
    }

    @Test
    void a_full_ring_of_submissions_is_handed_over() {
        for (int i = 0; i < COMPLETIONS; i++) ring.nop(i);
        ring.enter(0);
        for (int i = 0; i < COMPLETIONS; i++) assertEquals(i, next());
    }

    @Test
    void completions_that_do_not_fit_are_counted_and_none_is_lost() {
        for (int i = 0; i < 10 * COMPLETIONS; i++) ring.nop(i);
        for (int i = 0; i < 10 * COMPLETIONS; i++) {
            if (ring.ready() == 0) ring.enter(Long.MAX_VALUE);
            assertEquals(i, next());
        }
        assertTrue(ring.overflows() > 0);
        assertEquals(0, ring.dropped());
    }

    @Test
    void an_operation_that_is_cancelled_says_so() {
        int eventfd = linux.eventfd();
        ring.pollMany(eventfd, POLLIN, 1);
        ring.enter(0);
        Linux.eventfdWrite(eventfd);
        ring.enter(Long.MAX_VALUE);
        assertEquals(1, next());
        assertTrue((ring.flags() & IORING_CQE_F_MORE) != 0);
        ring.cancel(1, 2);
        ring.enter(Long.MAX_VALUE);
        boolean wasCancelled = false;
        while (ring.ready() > 0) wasCancelled |= next() == 1 && ring.result() == -Errno.ECANCELED;
        assertTrue(wasCancelled);
        linux.close(eventfd);
    }

    @Test
    void a_gathered_send_arrives_in_order() {
        var pair = new int[2];
        assertEquals(0, linux.socketpair(SOCK_STREAM, pair));
        try (var arena = Arena.ofConfined()) {
            var memory = arena.allocate(24, 8);
            RawMemory.putLong(memory.address(), 1);
            RawMemory.putLong(memory.address() + 8, 2);
            var message = new Msghdr(2);
            message.add(memory.address() + 8, 8);
            message.add(memory.address(), 8);
            ring.sendmsg(pair[0], message, 7);
            ring.enter(Long.MAX_VALUE);
            assertEquals(7, next());
            assertEquals(16, ring.result());
            assertEquals(8, linux.recv(pair[1], memory.address() + 16, 8));
            assertEquals(2, RawMemory.getLong(memory.address() + 16));
            assertEquals(8, linux.recv(pair[1], memory.address() + 16, 8));
            assertEquals(1, RawMemory.getLong(memory.address() + 16));
        } finally {
            linux.close(pair[0]);
            linux.close(pair[1]);
        }
    }

    @Test
    void buffers_are_filled_in_the_order_in_which_they_were_added() throws IOException {
        var pair = new int[2];
        assertEquals(0, linux.socketpair(SOCK_STREAM, pair));
        try (var arena = Arena.ofConfined();
                var buffers = new BufferRing(linux, ring, 4, 9)) {
            var memory = arena.allocate(64, 8);
            buffers.add(5, memory.address(), 8);
            buffers.add(6, memory.address() + 8, 8);
            buffers.add(7, memory.address() + 16, 8);
            buffers.takeBack(1);
            assertEquals(16, linux.send(pair[0], memory.address() + 32, 16));
            ring.receiveMany(pair[1], buffers.group(), 3);
            ring.enter(Long.MAX_VALUE);
            assertEquals(3, next());
            assertEquals(5, ring.flags() >>> 16);
            assertEquals(3, next());
            assertEquals(6, ring.flags() >>> 16);
            if (ring.ready() == 0) {
                assertEquals(8, linux.send(pair[0], memory.address() + 32, 8));
                ring.enter(Long.MAX_VALUE);
            }
            assertEquals(3, next());
            assertEquals(-Errno.ENOBUFS, ring.result());
        } finally {
            linux.close(pair[0]);
            linux.close(pair[1]);
        }
    }

    @Test
    void an_operation_that_no_kernel_has_is_missing() {
        assertEquals(-1, ring.firstMissing(IORING_OP_NOP, IORING_OP_SEND));
        assertEquals(255, ring.firstMissing(IORING_OP_NOP, 255));
    }

    @ParameterizedTest
    @CsvSource({"38, Linux 6.0", "22, too old", "12, ulimit -l", "1, io_uring", "24, ulimit -n"})
    void a_refusal_says_why_and_what_to_do(int errno, String remedy) {
        var sentence = IoUringRefusal.sentence(errno);
        assertTrue(sentence.contains(remedy), sentence);
        assertNotEquals("", sentence);
    }

    private long next() {
        assertTrue(ring.ready() > 0, "no completion");
        ring.advance();
        return ring.data();
    }
}
