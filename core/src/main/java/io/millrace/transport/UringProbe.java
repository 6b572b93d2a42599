package io.millrace.transport;

import static io.millrace.os.Constants.IORING_CQE_BUFFER_SHIFT;
import static io.millrace.os.Constants.IORING_CQE_F_BUFFER;
import static io.millrace.os.Constants.IORING_CQE_F_MORE;
import static io.millrace.os.Constants.IORING_OP_ACCEPT;
import static io.millrace.os.Constants.IORING_OP_ASYNC_CANCEL;
import static io.millrace.os.Constants.IORING_OP_NOP;
import static io.millrace.os.Constants.IORING_OP_POLL_ADD;
import static io.millrace.os.Constants.IORING_OP_RECV;
import static io.millrace.os.Constants.IORING_OP_SEND;
import static io.millrace.os.Constants.IORING_OP_SENDMSG;
import static io.millrace.os.Constants.SHUT_WR;
import static io.millrace.os.Constants.SOCK_STREAM;

import io.millrace.os.BufferRing;
import io.millrace.os.Errno;
import io.millrace.os.IoUring;
import io.millrace.os.Layouts;
import io.millrace.os.Linux;
import io.millrace.os.RawMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Optional;

/// Whether io_uring supports here what [Uring] needs: found by trying it once, never by comparing versions.
final class UringProbe {
    private static final int[] OPERATIONS = {
        IORING_OP_NOP,
        IORING_OP_POLL_ADD,
        IORING_OP_SENDMSG,
        IORING_OP_ACCEPT,
        IORING_OP_ASYNC_CANCEL,
        IORING_OP_SEND,
        IORING_OP_RECV
    };

    private static final long DATA = 0x0123_4567_89AB_CDEFL;
    private static final long MESSAGE = 0xFEDC_BA98_7654_3210L;
    private static final int ID = 3;
    private static final int GROUP = 5;
    private static final long PATIENCE_NANOS = 1_000_000_000;

    private final Linux linux;
    private final IoUring ring;

    private UringProbe(Linux linux, IoUring ring) {
        this.linux = linux;
        this.ring = ring;
    }

    /// Why not, in a sentence with the remedy; empty when it works.
    static Optional<String> unavailableBecause() {
        var reason = Linux.unsupportedReason();
        if (reason.isPresent()) return reason;
        var linux = new Linux();
        try (var ring = IoUring.setUp(linux, 8, 16)) {
            Layouts.check(linux);
            new UringProbe(linux, ring).check();
            return Optional.empty();
        } catch (IOException | RuntimeException | Error e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private void check() throws IOException {
        int missing = ring.firstMissing(OPERATIONS);
        if (missing >= 0) {
            throw new IOException("io_uring of this kernel has no operation " + missing + ": Linux 6.0 is needed");
        }
        ring.nop(DATA);
        complete();
        require("struct io_uring_sqe or io_uring_cqe", ring.result() == 0 && ring.flags() == 0);
        checkReceive();
    }

    private void checkReceive() throws IOException {
        var pair = new int[2];
        LinuxSockets.checked(linux.socketpair(SOCK_STREAM, pair), "cannot make a pair of sockets");
        try (var arena = Arena.ofConfined();
                var buffers = new BufferRing(linux, ring, 8, GROUP)) {
            long out = arena.allocate(Long.BYTES, Long.BYTES).address();
            long in = arena.allocate(2 * Long.BYTES, Long.BYTES).address();
            RawMemory.putLong(out, MESSAGE);
            buffers.add(ID, in, Long.BYTES);
            // For the end, which takes a buffer, too.
            buffers.add(ID + 1, in + Long.BYTES, Long.BYTES);
            buffers.publish();
            linux.send(pair[0], out, Long.BYTES);
            ring.receiveMany(pair[1], GROUP, DATA);
            complete();
            boolean isFilled = ring.result() == Long.BYTES && RawMemory.getLong(in) == MESSAGE;
            boolean isNamed =
                    (ring.flags() & IORING_CQE_F_BUFFER) != 0 && ring.flags() >>> IORING_CQE_BUFFER_SHIFT == ID;
            boolean goesOn = (ring.flags() & IORING_CQE_F_MORE) != 0;
            // The receive must end before its memory does.
            linux.shutdown(pair[0], SHUT_WR);
            complete();
            if (!goesOn) throw new IOException("io_uring of this kernel receives only once: Linux 6.0 is needed");
            require("struct io_uring_buf", isFilled && isNamed && ring.result() == 0);
        } finally {
            linux.close(pair[0]);
            linux.close(pair[1]);
        }
    }

    /// Waits for one completion.
    private void complete() throws IOException {
        long startNanos = System.nanoTime();
        while (ring.ready() == 0) {
            ring.enter(PATIENCE_NANOS);
            if (ring.ready() == 0 && System.nanoTime() - startNanos > PATIENCE_NANOS) {
                throw new IOException("io_uring of this kernel does not complete submissions");
            }
        }
        ring.advance();
        require("struct io_uring_cqe", ring.data() == DATA);
        if (ring.result() < 0) throw new IOException("io_uring refuses an operation: " + Errno.message(-ring.result()));
    }

    private static void require(String struct, boolean same) throws IOException {
        if (!same) throw new IOException(struct + " is laid out otherwise on this kernel; use epoll here");
    }
}
