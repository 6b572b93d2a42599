package io.millrace.os;

import static io.millrace.os.Constants.IORING_OFF_SQES;
import static io.millrace.os.Constants.IORING_OP_NOP;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/// Errors in the place of the kernel's answers: a call that is chosen is not made, and fails. So do operations of
/// io_uring, whose submissions are made others on their way into the kernel. One thread's, as a [Linux] is.
public final class Faults extends SystemCall {
    /// Added to an operation of io_uring, so that it has a number among those of the system calls.
    static final int RING = 1000;

    // io_uring.h: struct io_uring_params and io_uring_sqe.
    private static final int PARAMS_SQ_TAIL = 40 + 4;
    private static final int SQE_SIZE = 64;
    private static final int SQE_LENGTH = 24;
    private static final int SQE_NOP_FLAGS = 28;

    /// Complete with the submission's length (Linux 6.10).
    private static final int IORING_NOP_INJECT_RESULT = 1;

    /// From the number of a call to the errno it fails with, or 0. Any thread.
    private static volatile @Nullable IntUnaryOperator plan;

    private final Map<Long, Ring> rings = new HashMap<>();

    private Faults() {}

    /// One whose calls fail as planned.
    public static Linux linux() {
        return new Linux(new Faults());
    }

    /// Which calls fail from now on; null for none.
    public static void plan(@Nullable IntUnaryOperator calls) {
        plan = calls;
    }

    private static int errnoOf(int number) {
        var calls = plan;
        return calls == null ? 0 : calls.applyAsInt(number);
    }

    @Override
    long invoke(MemorySegment errno, int number, long a, long b, long c, long d, long e, long f) {
        var entered = number == IO_URING_ENTER ? rings.get(a) : null;
        if (entered != null) entered.refuse((int) b);
        int fault = errnoOf(number);
        if (fault != 0) {
            errno.set(JAVA_INT, 0, fault);
            return -1;
        }
        long result = super.invoke(errno, number, a, b, c, d, e, f);
        if (result != -1) succeeded(number, result, a, b, e, f);
        return result;
    }

    private void succeeded(int number, long result, long a, long b, long e, long f) {
        if (number == IO_URING_SETUP) rings.put(result, new Ring(b));
        if (number == CLOSE) rings.remove(a);
        var mapped = number == MMAP ? rings.get(e) : null;
        if (mapped != null) mapped.mapped(result, f);
    }

    /// Where the submissions of an io_uring are.
    private static final class Ring {
        private final int entries;
        private final int tailOffset;
        private long tail;
        private long sqes;

        /// Submissions before this one were looked at.
        private int seen;

        Ring(long params) {
            entries = RawMemory.getInt(params);
            tailOffset = RawMemory.getInt(params + PARAMS_SQ_TAIL);
        }

        void mapped(long address, long offset) {
            if (offset == IORING_OFF_SQES) sqes = address;
            else tail = address + tailOffset;
        }

        void refuse(int count) {
            int end = RawMemory.getInt(tail);
            for (int at = Math.max(seen, end - count); at != end; at++)
                refuseOne(sqes + (long) (at & (entries - 1)) * SQE_SIZE);
            seen = end;
        }

        private static void refuseOne(long sqe) {
            int fault = errnoOf(RING + (RawMemory.getInt(sqe) & 0xFF));
            if (fault == 0) return;
            RawMemory.putLong(sqe, Integer.toUnsignedLong(IORING_OP_NOP) | (-1L << 32));
            RawMemory.putLong(sqe + 8, 0);
            RawMemory.putLong(sqe + 16, 0);
            RawMemory.putInt(sqe + SQE_LENGTH, -fault);
            RawMemory.putInt(sqe + SQE_NOP_FLAGS, IORING_NOP_INJECT_RESULT);
            RawMemory.putLong(sqe + 40, 0);
        }
    }
}
