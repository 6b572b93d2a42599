package io.millrace.os;

import static io.millrace.os.Constants.AF_UNIX;
import static io.millrace.os.Constants.EFD_CLOEXEC;
import static io.millrace.os.Constants.EFD_NONBLOCK;
import static io.millrace.os.Constants.EPOLL_CLOEXEC;
import static io.millrace.os.Constants.MSG_CMSG_CLOEXEC;
import static io.millrace.os.Constants.MSG_NOSIGNAL;
import static io.millrace.os.Constants.SOCK_CLOEXEC;
import static io.millrace.os.Constants.SOCK_NONBLOCK;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_LINGER;
import static io.millrace.os.Constants.SO_PEERCRED;
import static io.millrace.os.Constants.SO_RCVTIMEO;
import static io.millrace.os.Constants.SO_SNDTIMEO;
import static io.millrace.os.Errno.EINPROGRESS;
import static io.millrace.os.Errno.EINTR;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteOrder;
import java.util.Optional;

/// Linux's system calls, under their names in section 2 of the man pages.
///
/// Every call returns what the man page says, or `-errno` where that says -1: `recv(…) == -Errno.EAGAIN`. None
/// throws and none allocates. A call that a signal interrupted is made again where nothing is lost by it;
/// sockets, eventfds and epolls are always opened non-blocking (where they can be) and close-on-exec; sends never
/// raise SIGPIPE.
///
/// One instance per thread: it holds the memory for the kernel's errno and for small arguments. Only
/// [#eventfdWrite] is for all threads.
public final class Linux {
    // The room for small arguments: an int or two, a long, one epoll_event, one option with its length.
    private static final int ROOM_BYTES = 32;
    private static final int ROOM_LENGTH = 24;

    private final SystemCall system;
    private final MemorySegment errno;
    private final MemorySegment room;
    private final long roomAddress;

    /// @throws UnsupportedOperationException with the sentence of [#unsupportedReason]
    public Linux() {
        this(SystemCall.KERNEL);
    }

    Linux(SystemCall system) {
        this.system = system;
        Optional<String> reason = unsupportedReason();
        if (reason.isPresent()) {
            throw new UnsupportedOperationException(reason.get());
        }
        errno = Arena.ofAuto().allocate(SystemCall.errnoLayout());
        room = Arena.ofAuto().allocate(ROOM_BYTES, 8);
        roomAddress = room.address();
    }

    /// Why this JVM cannot make Linux's system calls, in a sentence; empty when it can. Cheap: nothing is linked.
    public static Optional<String> unsupportedReason() {
        String name = System.getProperty("os.name", "");
        String architecture = System.getProperty("os.arch", "");
        Optional<String> platform = unsupportedPlatform(name, architecture, ByteOrder.nativeOrder());
        if (platform.isPresent()) {
            return platform;
        }
        Optional<String> denied = nativeAccessDenied();
        return denied.isPresent() ? denied : symbolMissing();
    }

    static Optional<String> unsupportedPlatform(String osName, String osArch, ByteOrder byteOrder) {
        if (!osName.equals("Linux")) {
            return Optional.of("the operating system is " + osName + ", not Linux");
        }
        if (!SystemCall.isX8664(osArch) && !osArch.equals("aarch64")) {
            return Optional.of("the processor is " + osArch + ", neither x86-64 nor aarch64");
        }
        if (byteOrder != ByteOrder.LITTLE_ENDIAN) {
            return Optional.of("the processor runs big-endian, and the structs here are little-endian");
        }
        return Optional.empty();
    }

    @SuppressWarnings("restricted")
    private static Optional<String> nativeAccessDenied() {
        try {
            var _ = MemorySegment.NULL.reinterpret(0);
            return Optional.empty();
        } catch (IllegalCallerException denied) {
            return Optional.of("native access is denied; start java with --enable-native-access=" + accessName());
        }
    }

    private static String accessName() {
        var module = Linux.class.getModule();
        return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }

    private static Optional<String> symbolMissing() {
        return Linker.nativeLinker().defaultLookup().find("syscall").isPresent()
                ? Optional.empty()
                : Optional.of("the C library has no function syscall(2)");
    }

    /// recv(2) without flags: the count, 0 at the end of the stream, `-EAGAIN` when nothing is there.
    public int recv(int fd, long address, int lengthBytes) {
        return retried(SystemCall.RECVFROM, fd, address, lengthBytes, 0, 0, 0);
    }

    /// send(2): how many bytes went, which may be fewer than `lengthBytes`; `-EAGAIN` when there is no room.
    public int send(int fd, long address, int lengthBytes) {
        return retried(SystemCall.SENDTO, fd, address, lengthBytes, MSG_NOSIGNAL, 0, 0);
    }

    /// sendmsg(2): sends the blocks of `message` in order; how many bytes went, which may end inside of a block.
    public int sendmsg(int fd, Msghdr message) {
        try {
            return retried(SystemCall.SENDMSG, fd, message.seal(), MSG_NOSIGNAL, 0, 0, 0);
        } finally {
            Reference.reachabilityFence(message);
        }
    }

    /// sendmsg(2) of bytes and descriptors through a Unix socket, all or nothing on one that keeps messages whole.
    public int sendmsg(int fd, DescriptorMessage message) {
        try {
            return retried(SystemCall.SENDMSG, fd, message.address(), MSG_NOSIGNAL, 0, 0, 0);
        } finally {
            Reference.reachabilityFence(message);
        }
    }

    /// recvmsg(2) of bytes and descriptors: how many bytes came, 0 at the end, also where they were sent without
    /// any.
    public int recvmsg(int fd, DescriptorMessage message) {
        message.clear();
        try {
            int count = retried(SystemCall.RECVMSG, fd, message.address(), MSG_CMSG_CLOEXEC, 0, 0, 0);
            message.received(count);
            return count;
        } finally {
            Reference.reachabilityFence(message);
        }
    }

    /// read(2), for descriptors that are no sockets.
    public int read(int fd, long address, int lengthBytes) {
        return retried(SystemCall.READ, fd, address, lengthBytes, 0, 0, 0);
    }

    /// write(2), for descriptors that are no sockets (on one it could raise SIGPIPE).
    public int write(int fd, long address, int lengthBytes) {
        return retried(SystemCall.WRITE, fd, address, lengthBytes, 0, 0, 0);
    }

    /// epoll_create1(2).
    public int epollCreate1() {
        return (int) call(SystemCall.EPOLL_CREATE1, EPOLL_CLOEXEC, 0, 0, 0, 0, 0);
    }

    /// epoll_ctl(2). `data` comes back with each of the descriptor's events; both are ignored by `EPOLL_CTL_DEL`.
    public int epollCtl(int epoll, int operation, int fd, int events, long data) {
        room.set(JAVA_INT, EpollEvents.EVENTS, events);
        room.set(JAVA_LONG_UNALIGNED, EpollEvents.DATA, data);
        return (int) call(SystemCall.EPOLL_CTL, epoll, operation, fd, roomAddress, 0, 0);
    }

    /// epoll_wait(2): how many of `events` are filled. `timeoutMillis` is -1 for no limit and 0 for not at all. A
    /// signal ends the wait with 0 events, since only the caller knows how much of its time is left.
    public int epollWait(int epoll, EpollEvents events, int timeoutMillis) {
        try {
            // aarch64 has no epoll_wait; without a signal mask epoll_pwait is the same.
            long count = call(SystemCall.EPOLL_PWAIT, epoll, events.address(), events.capacity(), timeoutMillis, 0, 0);
            return count == -EINTR ? 0 : (int) count;
        } finally {
            Reference.reachabilityFence(events);
        }
    }

    /// eventfd(2), counter at 0.
    public int eventfd() {
        return (int) call(SystemCall.EVENTFD2, 0, EFD_NONBLOCK | EFD_CLOEXEC, 0, 0, 0, 0);
    }

    /// Takes the counter of an eventfd and resets it to 0: the counter, or `-EAGAIN` when it was 0.
    public long eventfdRead(int fd) {
        int count = read(fd, roomAddress, Long.BYTES);
        return count < 0 ? count : room.get(JAVA_LONG, 0);
    }

    /// Adds 1 to the counter of an eventfd. Any thread may call; false when `fd` is no open eventfd.
    public static boolean eventfdWrite(int fd) {
        return Shared.addOne(fd);
    }

    /// socket(2) of the family's default protocol: a descriptor, non-blocking and close-on-exec.
    public int socket(int family, int type) {
        return (int) call(SystemCall.SOCKET, family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, 0, 0, 0);
    }

    /// socketpair(2) of `AF_UNIX`: two connected descriptors in `pair[0]` and `pair[1]`.
    public int socketpair(int type, int[] pair) {
        int result =
                (int) call(SystemCall.SOCKETPAIR, AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, roomAddress, 0, 0);
        if (result == 0) {
            pair[0] = room.get(JAVA_INT, 0);
            pair[1] = room.get(JAVA_INT, Integer.BYTES);
        }
        return result;
    }

    /// bind(2).
    public int bind(int fd, SockAddr at) {
        return withAddress(SystemCall.BIND, fd, at);
    }

    /// listen(2). The kernel lowers `backlog` to `net.core.somaxconn`.
    public int listen(int fd, int backlog) {
        return (int) call(SystemCall.LISTEN, fd, backlog, 0, 0, 0, 0);
    }

    /// accept4(2): the connection's descriptor, non-blocking and close-on-exec, and its peer in `peer`.
    public int accept4(int fd, SockAddr peer) {
        peer.clear();
        try {
            return retried(
                    SystemCall.ACCEPT4, fd, peer.address(), peer.lengthAddress(), SOCK_NONBLOCK | SOCK_CLOEXEC, 0, 0);
        } finally {
            Reference.reachabilityFence(peer);
        }
    }

    /// connect(2): 0 when connected at once, `-EINPROGRESS` when `EPOLLOUT` will tell (then ask for `SO_ERROR`).
    /// A Unix socket whose listener's queue is full answers `-EAGAIN` and tells nothing: try again later.
    public int connect(int fd, SockAddr to) {
        int result = withAddress(SystemCall.CONNECT, fd, to);
        // The interrupted connect goes on by itself; a second one would fail with EALREADY.
        return result == -EINTR ? -EINPROGRESS : result;
    }

    private int withAddress(int number, int fd, SockAddr address) {
        try {
            return (int) call(number, fd, address.address(), address.length(), 0, 0, 0);
        } finally {
            Reference.reachabilityFence(address);
        }
    }

    /// getsockname(2): fills `at` with the socket's own address.
    public int getsockname(int fd, SockAddr at) {
        return intoAddress(SystemCall.GETSOCKNAME, fd, at);
    }

    /// getpeername(2): fills `at` with the peer's address.
    public int getpeername(int fd, SockAddr at) {
        return intoAddress(SystemCall.GETPEERNAME, fd, at);
    }

    private int intoAddress(int number, int fd, SockAddr address) {
        address.clear();
        try {
            return (int) call(number, fd, address.address(), address.lengthAddress(), 0, 0, 0);
        } finally {
            Reference.reachabilityFence(address);
        }
    }

    /// shutdown(2): `SHUT_WR` sends the end of the stream, `SHUT_RDWR` also wakes those who wait to receive.
    public int shutdown(int fd, int how) {
        return (int) call(SystemCall.SHUTDOWN, fd, how, 0, 0, 0, 0);
    }

    /// close(2). After it `fd` is gone whatever it returned, so it is never repeated: the number may be in use
    /// again.
    public int close(int fd) {
        int result = (int) call(SystemCall.CLOSE, fd, 0, 0, 0, 0, 0);
        return result == -EINTR ? 0 : result;
    }

    /// setsockopt(2) of an option that is an int.
    public int setsockopt(int fd, int level, int name, int value) {
        room.set(JAVA_INT, 0, value);
        return setsockoptRoom(fd, level, name, Integer.BYTES);
    }

    /// setsockopt(2) of `SO_LINGER`: for how long close(2) keeps sending. 0 resets the connection, negative is
    /// the default.
    public int setLinger(int fd, int seconds) {
        room.set(JAVA_INT, 0, seconds < 0 ? 0 : 1);
        room.set(JAVA_INT, Integer.BYTES, Math.max(seconds, 0));
        return setsockoptRoom(fd, SOL_SOCKET, SO_LINGER, 2 * Integer.BYTES);
    }

    /// getsockopt(2) of `SO_LINGER`: whether it is on in `linger[0]`, its seconds in `linger[1]`.
    public int getLinger(int fd, int[] linger) {
        int result = getsockopt(fd, SOL_SOCKET, SO_LINGER, roomAddress, 2 * Integer.BYTES);
        if (result < 0) return result;
        linger[0] = room.get(JAVA_INT, 0);
        linger[1] = room.get(JAVA_INT, Integer.BYTES);
        return 0;
    }

    /// setsockopt(2) of `SO_RCVTIMEO` and `SO_SNDTIMEO`: how long a call on a blocking socket waits, which then
    /// fails with `EAGAIN`; 0 is for ever.
    public int setTimeouts(int fd, long micros) {
        room.set(JAVA_LONG, 0, micros / 1_000_000);
        room.set(JAVA_LONG, Long.BYTES, micros % 1_000_000);
        int result = setsockoptRoom(fd, SOL_SOCKET, SO_RCVTIMEO, 2 * Long.BYTES);
        return result < 0 ? result : setsockoptRoom(fd, SOL_SOCKET, SO_SNDTIMEO, 2 * Long.BYTES);
    }

    /// getsockopt(2) of `SO_PEERCRED`: the process, the user and the group at the other end of a Unix socket, when
    /// it connected or began to listen.
    public int getPeer(int fd, int[] pidUidGid) {
        int result = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, roomAddress, 3 * Integer.BYTES);
        if (result < 0) return result;
        for (int i = 0; i < 3; i++) pidUidGid[i] = room.get(JAVA_INT, (long) i * Integer.BYTES);
        return 0;
    }

    /// geteuid(2).
    public int geteuid() {
        return (int) call(SystemCall.GETEUID, 0, 0, 0, 0, 0, 0);
    }

    /// gettid(2).
    int gettid() {
        return (int) call(SystemCall.GETTID, 0, 0, 0, 0, 0, 0);
    }

    /// clock_gettime(2): nanoseconds.
    long clockGettime(int clock) {
        long result = call(SystemCall.CLOCK_GETTIME, clock, roomAddress, 0, 0, 0, 0);
        if (result < 0) return result;
        return room.get(JAVA_LONG, 0) * 1_000_000_000 + room.get(JAVA_LONG, Long.BYTES);
    }

    private int setsockoptRoom(int fd, int level, int name, int lengthBytes) {
        return (int) call(SystemCall.SETSOCKOPT, fd, level, name, roomAddress, lengthBytes, 0);
    }

    /// getsockopt(2) of an option that is an int: its value as an unsigned number (cast it to int), or `-errno`.
    /// The kernel reports twice the `SO_RCVBUF` and `SO_SNDBUF` that were set.
    public long getsockopt(int fd, int level, int name) {
        room.set(JAVA_INT, 0, 0);
        int result = getsockopt(fd, level, name, roomAddress, Integer.BYTES);
        return result < 0 ? result : Integer.toUnsignedLong(room.get(JAVA_INT, 0));
    }

    /// getsockopt(2) of any option: how many bytes of it, at most `capacityBytes`, now stand at `address`.
    public int getsockopt(int fd, int level, int name, long address, int capacityBytes) {
        room.set(JAVA_INT, ROOM_LENGTH, capacityBytes);
        int result = (int) call(SystemCall.GETSOCKOPT, fd, level, name, address, roomAddress + ROOM_LENGTH, 0);
        return result < 0 ? result : room.get(JAVA_INT, ROOM_LENGTH);
    }

    /// fcntl(2) with an int argument.
    public int fcntl(int fd, int command, int argument) {
        return (int) call(SystemCall.FCNTL, fd, command, argument, 0, 0, 0);
    }

    /// mmap(2) of memory to read and write: its address.
    long mmap(long lengthBytes, int flags, int fd, long offset) {
        return call(SystemCall.MMAP, 0, lengthBytes, Constants.PROT_READ_WRITE, flags, fd, offset);
    }

    /// munmap(2).
    int munmap(long address, long lengthBytes) {
        return (int) call(SystemCall.MUNMAP, address, lengthBytes, 0, 0, 0, 0);
    }

    /// io_uring_setup(2): a descriptor; `params` is filled.
    int ioUringSetup(int entries, long params) {
        return (int) call(SystemCall.IO_URING_SETUP, entries, params, 0, 0, 0, 0);
    }

    /// io_uring_enter(2): how many submissions were taken.
    int ioUringEnter(int fd, int toSubmit, int minComplete, int flags, long argument, int argumentBytes) {
        return (int) call(SystemCall.IO_URING_ENTER, fd, toSubmit, minComplete, flags, argument, argumentBytes);
    }

    /// io_uring_register(2).
    int ioUringRegister(int fd, int operation, long argument, int count) {
        return (int) call(SystemCall.IO_URING_REGISTER, fd, operation, argument, count, 0, 0);
    }

    /// The hot calls. Flat on purpose: the compiler stops inlining at a depth, and if that falls inside of the
    /// downcall, each call allocates a view of the errno segment.
    private int retried(int number, long a, long b, long c, long d, long e, long f) {
        try {
            while (true) {
                long result = system.invoke(errno, number, a, b, c, d, e, f);
                if (result != -1) return (int) result;
                int error = errno.get(JAVA_INT, 0);
                if (error != EINTR) return -error;
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /// Every other call of this class, but [#eventfdWrite].
    private long call(int number, long a, long b, long c, long d, long e, long f) {
        try {
            long result = system.invoke(errno, number, a, b, c, d, e, f);
            return result != -1 ? result : -errno.get(JAVA_INT, 0);
        } finally {
            // The room belongs to the kernel until here, which knows its address only.
            Reference.reachabilityFence(this);
        }
    }

    /// Used by threads without a [Linux] of their own. They share an errno, which must not be read.
    private static final class Shared {
        private static final MemorySegment UNREAD_ERRNO = Arena.global().allocate(SystemCall.errnoLayout());
        private static final MemorySegment ONE = Arena.global().allocateFrom(JAVA_LONG, 1);

        static boolean addOne(int fd) {
            return SystemCall.KERNEL.invoke(UNREAD_ERRNO, SystemCall.WRITE, fd, ONE.address(), Long.BYTES, 0, 0, 0)
                    >= 0;
        }
    }
}
