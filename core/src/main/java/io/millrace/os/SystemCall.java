package io.millrace.os;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/// The one way into the kernel: libc's `syscall(2)` with seven longs, and the numbers that tell calls apart.
///
/// One shape for all calls because each further shape costs 10 - 25 ms at start, while `recv` through its own
/// handle measured no faster (both about 400 ns on an empty socket, the difference inside the noise). It also
/// leaves libc's own ideas out: what arrives is the kernel's struct and the kernel's error, the same under glibc
/// and musl. An object, so that something that refuses calls can stand in the kernel's place.
class SystemCall {
    static final SystemCall KERNEL = new SystemCall();
    static final boolean X86_64 = isX8664(System.getProperty("os.arch", ""));

    static final int READ = number(0, 63);
    static final int WRITE = number(1, 64);
    static final int CLOSE = number(3, 57);
    static final int MMAP = number(9, 222);
    static final int MUNMAP = number(11, 215);
    static final int SOCKET = number(41, 198);
    static final int CONNECT = number(42, 203);
    static final int SENDTO = number(44, 206);
    static final int RECVFROM = number(45, 207);
    static final int SENDMSG = number(46, 211);
    static final int RECVMSG = number(47, 212);
    static final int SHUTDOWN = number(48, 210);
    static final int BIND = number(49, 200);
    static final int LISTEN = number(50, 201);
    static final int GETSOCKNAME = number(51, 204);
    static final int GETPEERNAME = number(52, 205);
    static final int SOCKETPAIR = number(53, 199);
    static final int SETSOCKOPT = number(54, 208);
    static final int GETSOCKOPT = number(55, 209);
    static final int FCNTL = number(72, 25);
    static final int GETTID = number(186, 178);
    static final int CLOCK_GETTIME = number(228, 113);
    static final int GETEUID = number(107, 175);
    static final int EPOLL_CTL = number(233, 21);
    static final int EPOLL_PWAIT = number(281, 22);
    static final int ACCEPT4 = number(288, 242);
    static final int EVENTFD2 = number(290, 19);
    static final int EPOLL_CREATE1 = number(291, 20);
    static final int IO_URING_SETUP = 425;
    static final int IO_URING_ENTER = 426;
    static final int IO_URING_REGISTER = 427;

    SystemCall() {}

    /// Whether `osArch`, as in the system property `os.arch`, has x86-64's numbers and its packed `epoll_event`.
    static boolean isX8664(String osArch) {
        return osArch.equals("amd64") || osArch.equals("x86_64");
    }

    private static int number(int x8664, int aarch64) {
        return X86_64 ? x8664 : aarch64;
    }

    /// Returns what `syscall(2)` returns: -1 on failure, with the reason in `errno`.
    long invoke(MemorySegment errno, int number, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) Handle.SYSCALL.invokeExact(errno, (long) number, a, b, c, d, e, f);
        } catch (Throwable impossible) {
            throw new AssertionError("system call " + number + " threw instead of returning", impossible);
        }
    }

    /// Linked at the first call, so that a program that makes none pays nothing.
    private static final class Handle {
        @SuppressWarnings("restricted")
        static final MethodHandle SYSCALL = Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow("syscall"),
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                        Linker.Option.firstVariadicArg(1),
                        Linker.Option.captureCallState("errno"));
    }

    /// What `invoke` needs as its `errno`: on Linux a single int, at offset 0.
    static StructLayout errnoLayout() {
        return Linker.Option.captureStateLayout();
    }
}
