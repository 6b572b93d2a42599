package io.millrace.os;

import static io.millrace.os.Constants.*;
import static io.millrace.os.RawMemory.getInt;
import static io.millrace.os.RawMemory.getIntAcquire;
import static io.millrace.os.RawMemory.getLong;
import static io.millrace.os.RawMemory.putInt;
import static io.millrace.os.RawMemory.putIntRelease;
import static io.millrace.os.RawMemory.putLong;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The two rings of io_uring(7) that one thread shares with the kernel: submissions go in, completions come out.
///
/// ```
///   accept, send, …  ─► submissions ─ enter ─► kernel ─ enter ─► completions ─ advance ─► data, result, flags
/// ```
/// A submission is a promise until [#enter] or [#submit]; what it points to must stay until then, and what the
/// kernel reads or fills until its completion. Belongs to the thread that set it up.
public final class IoUring implements AutoCloseable {
    private static final int PARAMS_SIZE = 120;
    private static final int PARAMS_CQ_ENTRIES = 4;
    private static final int PARAMS_FLAGS = 8;
    private static final int PARAMS_FEATURES = 20;
    private static final int SQ_OFFSETS = 40;
    private static final int CQ_OFFSETS = 80;
    private static final int HEAD = 0;
    private static final int TAIL = 4;
    private static final int MASK = 8;
    private static final int ENTRIES = 12;
    private static final int SQ_FLAGS = 16;
    private static final int SQ_ARRAY = 24;
    private static final int CQ_OVERFLOW = 16;
    private static final int CQ_CQES = 20;
    private static final int SQE_SIZE = 64;
    private static final int CQE_SIZE = 16;

    private static final int FEATURES =
            IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_SUBMIT_STABLE | IORING_FEAT_EXT_ARG;

    private static final int ALWAYS = IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN;

    /// The best first; a kernel that does not know a flag returns `EINVAL`.
    private static final int[] SETUPS = {
        ALWAYS | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_NO_SQARRAY,
        ALWAYS | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
        ALWAYS | IORING_SETUP_SINGLE_ISSUER,
    };

    /// `struct io_uring_getevents_arg`, and behind it a `struct timespec`.
    private static final int ARGUMENT_SIZE = 24;

    private static final int ARGUMENT_TIMESPEC = 16;

    /// How often to try to make the kernel take submissions before giving up.
    private static final int PATIENCE = 1000;

    private static final long PATIENCE_NANOS = 1_000_000_000;

    private final Linux linux;
    private final int fd;
    private final MemorySegment memory; // kept because the address does not keep it
    private final long argument;
    private final long rings;
    private final long ringsBytes;
    private final long sqes;
    private final long sqHead;
    private final long sqTail;
    private final long sqFlags;
    private final int sqEntries;
    private final long cqHead;
    private final long cqTail;
    private final long cqOverflow;
    private final long cqes;
    private final int cqMask;

    /// What the kernel will read as the submissions' tail and the completions' head.
    private int tail;

    private int head;
    private long overflows;

    /// When the current series of failing calls began; 0 after a successful one.
    private long failingSinceNanos;

    /// The completion taken last.
    private long data;

    private int result;
    private int flags;

    private IoUring(Linux linux, int fd, MemorySegment params) throws IOException {
        this.linux = linux;
        this.fd = fd;
        memory = Arena.ofAuto().allocate(ARGUMENT_SIZE + 16, 8);
        argument = memory.address();
        putLong(argument + ARGUMENT_TIMESPEC, argument + ARGUMENT_SIZE);
        long at = params.address();
        sqEntries = getInt(at);
        int cqEntries = getInt(at + PARAMS_CQ_ENTRIES);
        int array = getInt(at + SQ_OFFSETS + SQ_ARRAY);
        long sqBytes = array + (long) sqEntries * Integer.BYTES;
        long cqBytes = getInt(at + CQ_OFFSETS + CQ_CQES) + (long) cqEntries * CQE_SIZE;
        ringsBytes = Math.max(sqBytes, cqBytes);
        rings = map(ringsBytes, IORING_OFF_SQ_RING);
        try {
            sqes = map((long) sqEntries * SQE_SIZE, IORING_OFF_SQES);
        } catch (IOException e) {
            linux.munmap(rings, ringsBytes);
            throw e;
        }
        sqHead = rings + getInt(at + SQ_OFFSETS + HEAD);
        sqTail = rings + getInt(at + SQ_OFFSETS + TAIL);
        sqFlags = rings + getInt(at + SQ_OFFSETS + SQ_FLAGS);
        cqHead = rings + getInt(at + CQ_OFFSETS + HEAD);
        cqTail = rings + getInt(at + CQ_OFFSETS + TAIL);
        cqOverflow = rings + getInt(at + CQ_OFFSETS + CQ_OVERFLOW);
        cqes = rings + getInt(at + CQ_OFFSETS + CQ_CQES);
        cqMask = getInt(rings + getInt(at + CQ_OFFSETS + MASK));
        boolean same = getInt(rings + getInt(at + SQ_OFFSETS + ENTRIES)) == sqEntries
                && getInt(rings + getInt(at + SQ_OFFSETS + MASK)) == sqEntries - 1
                && getInt(rings + getInt(at + CQ_OFFSETS + ENTRIES)) == cqEntries
                && cqMask == cqEntries - 1;
        if (!same) {
            unmap();
            throw new IOException("struct io_uring_params is laid out otherwise on this kernel");
        }
        if ((getInt(at + PARAMS_FLAGS) & IORING_SETUP_NO_SQARRAY) != 0) return;
        for (int i = 0; i < sqEntries; i++) putInt(rings + array + (long) i * Integer.BYTES, i);
    }

    /// Makes the rings, with the best setup that this kernel knows.
    ///
    /// @param submissions how many may be queued, a power of two
    /// @param completions how many may wait before they cost the kernel more, a power of two
    /// @throws IOException with a sentence why io_uring is unavailable here, and the remedy
    public static IoUring setUp(Linux linux, int submissions, int completions) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var params = arena.allocate(PARAMS_SIZE, 8);
            int fd = -Errno.EINVAL;
            for (int i = 0; i < SETUPS.length && fd == -Errno.EINVAL; i++) {
                params.fill((byte) 0);
                putInt(params.address() + PARAMS_CQ_ENTRIES, completions);
                putInt(params.address() + PARAMS_FLAGS, SETUPS[i]);
                fd = linux.ioUringSetup(submissions, params.address());
            }
            if (fd < 0) throw new IOException(IoUringRefusal.sentence(-fd));
            return set(linux, fd, params);
        }
    }

    private static IoUring set(Linux linux, int fd, MemorySegment params) throws IOException {
        try {
            int missing = FEATURES & ~getInt(params.address() + PARAMS_FEATURES);
            if (missing != 0) throw new IOException(IoUringRefusal.sentence(Errno.EINVAL));
            return new IoUring(linux, fd, params);
        } catch (IOException | RuntimeException e) {
            linux.close(fd);
            throw e;
        }
    }

    private long map(long lengthBytes, long offset) throws IOException {
        long address = linux.mmap(lengthBytes, MAP_SHARED | MAP_POPULATE, fd, offset);
        if (address < 0 && address > -4096)
            throw new IOException("cannot map io_uring's rings: " + Errno.message((int) -address));
        return address;
    }

    // Submissions, under their names in io_uring_enter(2); `data` comes back with each completion.

    public void nop(long data) {
        put(IORING_OP_NOP, -1, 0, 0, 0, 0, data);
    }

    /// Accepts repeatedly; descriptors are close-on-exec. They block, because a send to one that does not would
    /// end at once with `EAGAIN` instead of waiting for room.
    public void acceptMany(int socket, long data) {
        int what = IORING_OP_ACCEPT | (IORING_ACCEPT_MULTISHOT << 16);
        put(what, socket, 0, 0, (long) SOCK_CLOEXEC << 32, 0, data);
    }

    /// Receives repeatedly, each time into the next buffer of a [BufferRing].
    public void receiveMany(int socket, int group, long data) {
        int what = IORING_OP_RECV | (IOSQE_BUFFER_SELECT << 8) | (IORING_RECV_MULTISHOT << 16);
        put(what, socket, 0, 0, 0, group, data);
    }

    /// Receives once into the next buffer of a [BufferRing].
    public void receiveOnce(int socket, int group, long data) {
        put(IORING_OP_RECV | (IOSQE_BUFFER_SELECT << 8), socket, 0, 0, 0, group, data);
    }

    public void send(int socket, long address, int lengthBytes, long data) {
        put(IORING_OP_SEND, socket, 0, address, lengthBytes | ((long) MSG_NOSIGNAL << 32), 0, data);
    }

    /// `message` may be used again when this was submitted; its blocks stay until the completion.
    public void sendmsg(int socket, Msghdr message, long data) {
        put(IORING_OP_SENDMSG, socket, 0, message.seal(), 1 | ((long) MSG_NOSIGNAL << 32), 0, data);
    }

    /// Completes once when one of the events is there.
    public void poll(int file, int events, long data) {
        put(IORING_OP_POLL_ADD, file, 0, 0, (long) events << 32, 0, data);
    }

    /// Completes each time one of the events, an error or a hang-up comes about.
    public void pollMany(int file, int events, long data) {
        put(IORING_OP_POLL_ADD, file, 0, 0, IORING_POLL_ADD_MULTI | ((long) events << 32), 0, data);
    }

    /// Ends the operation that was submitted with `target`, if there still is one: it completes with `ECANCELED`.
    public void cancel(long target, long data) {
        put(IORING_OP_ASYNC_CANCEL, -1, 0, target, 0, 0, data);
    }

    private void put(int what, int file, long offset, long address, long lengthAndFlags, int group, long data) {
        if (isFull()) makeRoom();
        long sqe = sqes + (long) (tail & (sqEntries - 1)) * SQE_SIZE;
        putLong(sqe, Integer.toUnsignedLong(what) | ((long) file << 32));
        putLong(sqe + 8, offset);
        putLong(sqe + 16, address);
        putLong(sqe + 24, lengthAndFlags);
        putLong(sqe + 32, data);
        putLong(sqe + 40, group);
        putLong(sqe + 48, 0);
        putLong(sqe + 56, 0);
        tail++;
        putIntRelease(sqTail, tail);
    }

    private boolean isFull() {
        return unsubmitted() == sqEntries;
    }

    /// How many submissions the kernel has not seen.
    public int unsubmitted() {
        return tail - getIntAcquire(sqHead);
    }

    private void makeRoom() {
        for (int i = 0; i < PATIENCE && isFull(); i++) submit();
        if (isFull()) throw refused();
    }

    /// Submits what is queued, and lets the kernel finish what it has; does not wait. A kernel that is short of
    /// memory may leave some.
    public void submit() {
        enter(0);
    }

    /// Submits everything that is queued.
    public void submitAll() {
        for (int i = 0; i < PATIENCE && unsubmitted() > 0; i++) submit();
        if (unsubmitted() > 0) throw refused();
    }

    private static IllegalStateException refused() {
        return new IllegalStateException("io_uring takes no submissions: the kernel is out of memory");
    }

    /// Submits what is queued and waits for a completion.
    ///
    /// @param timeoutNanos 0 does not wait, [Long#MAX_VALUE] waits without a limit
    public void enter(long timeoutNanos) {
        if ((getIntAcquire(sqFlags) & IORING_SQ_CQ_OVERFLOW) != 0) overflows++;
        boolean isTimed = timeoutNanos > 0 && timeoutNanos < Long.MAX_VALUE;
        if (isTimed) {
            putLong(argument + ARGUMENT_SIZE, timeoutNanos / 1_000_000_000);
            putLong(argument + ARGUMENT_SIZE + 8, timeoutNanos % 1_000_000_000);
        }
        int how = isTimed ? IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG : IORING_ENTER_GETEVENTS;
        long argumentOrNone = isTimed ? argument : 0;
        int argumentBytes = isTimed ? ARGUMENT_SIZE : 0;
        int minComplete = timeoutNanos > 0 ? 1 : 0;
        int taken = linux.ioUringEnter(fd, unsubmitted(), minComplete, how, argumentOrNone, argumentBytes);
        // The time is over, or a signal came.
        if (taken >= 0 || taken == -Errno.ETIME || taken == -Errno.EINTR) failingSinceNanos = 0;
        else failed(-taken);
    }

    /// The kernel wants its completions taken first, or lacks resources: the next call may succeed.
    private void failed(int error) {
        if (error == Errno.EBADR) {
            throw new IllegalStateException("io_uring lost completions: the kernel is out of memory");
        }
        long nowNanos = System.nanoTime();
        if (failingSinceNanos == 0) failingSinceNanos = nowNanos;
        if (nowNanos - failingSinceNanos < PATIENCE_NANOS) return;
        throw new IllegalStateException("io_uring_enter has been failing for a second: " + Errno.message(error));
    }

    // Completions.

    /// How many completions can be taken.
    public int ready() {
        return getIntAcquire(cqTail) - head;
    }

    /// Takes the next completion, which must exist: [#data], [#result] and [#flags] describe it.
    public void advance() {
        long cqe = cqes + (long) (head & cqMask) * CQE_SIZE;
        data = getLong(cqe);
        result = getInt(cqe + 8);
        flags = getInt(cqe + 12);
        head++;
        putIntRelease(cqHead, head);
    }

    public long data() {
        return data;
    }

    /// What the system call of that name would return, or `-errno`.
    public int result() {
        return result;
    }

    public int flags() {
        return flags;
    }

    /// How often the completions did not fit into their ring, and waited inside the kernel.
    public long overflows() {
        return overflows;
    }

    /// How many completions the kernel lost because it had no memory to keep them.
    public long dropped() {
        return Integer.toUnsignedLong(getIntAcquire(cqOverflow));
    }

    /// io_uring_register(2): 0, or `-errno`.
    int register(int operation, long address, int count) {
        return linux.ioUringRegister(fd, operation, address, count);
    }

    /// Which of the operations this kernel does not have; -1 when it has all.
    public int firstMissing(int... operations) {
        try (var arena = Arena.ofConfined()) {
            var probe = arena.allocate(16 + 256 * 8, 8);
            if (register(IORING_REGISTER_PROBE, probe.address(), 256) < 0) return operations[0];
            for (int operation : operations) {
                int supported = getInt(probe.address() + 16 + operation * 8L) >>> 16;
                if ((supported & IO_URING_OP_SUPPORTED) == 0) return operation;
            }
            return -1;
        }
    }

    /// The kernel ends pending operations in its own time: they must no longer matter.
    @Override
    public void close() {
        unmap();
        linux.close(fd);
    }

    private void unmap() {
        linux.munmap(sqes, (long) sqEntries * SQE_SIZE);
        linux.munmap(rings, ringsBytes);
    }
}
