package io.millrace.os;

import static io.millrace.os.Errno.EAGAIN;
import static io.millrace.os.Errno.EBUSY;
import static io.millrace.os.Errno.ECANCELED;
import static io.millrace.os.Errno.ECONNRESET;
import static io.millrace.os.Errno.EINTR;
import static io.millrace.os.Errno.EMFILE;
import static io.millrace.os.Errno.ENOBUFS;
import static io.millrace.os.Errno.ENOMEM;

import java.util.List;
import java.util.stream.Stream;

/// Where the kernel may refuse something, and with what. Left out is what cannot fail as long as its arguments are
/// right, and would leave something undone without anybody to hear of it: close, munmap, shutdown, a write to an
/// eventfd, `F_SETFL`.
public record CallSite(String name, int number, List<Integer> errnos) {
    private static final List<Integer> ALL =
            List.of(EINTR, EAGAIN, EBUSY, ENOBUFS, ECANCELED, ENOMEM, EMFILE, ECONNRESET);

    /// `EAGAIN` means that there is nothing, and that the kernel will tell: said in vain it would never tell.
    private static final List<Integer> BUT_EAGAIN =
            ALL.stream().filter(errno -> errno != EAGAIN).toList();

    private static final List<CallSite> SOCKETS = List.of(
            site("socket", SystemCall.SOCKET),
            site("bind", SystemCall.BIND),
            site("listen", SystemCall.LISTEN),
            site("connect", SystemCall.CONNECT),
            site("setsockopt", SystemCall.SETSOCKOPT),
            site("getsockopt", SystemCall.GETSOCKOPT),
            site("getsockname", SystemCall.GETSOCKNAME),
            site("eventfd2", SystemCall.EVENTFD2));

    private static final List<CallSite> EPOLL = List.of(
            site("epoll_create1", SystemCall.EPOLL_CREATE1),
            site("epoll_ctl", SystemCall.EPOLL_CTL),
            site("epoll_pwait", SystemCall.EPOLL_PWAIT),
            new CallSite("accept4", SystemCall.ACCEPT4, BUT_EAGAIN),
            new CallSite("recvfrom", SystemCall.RECVFROM, BUT_EAGAIN),
            new CallSite("sendto", SystemCall.SENDTO, BUT_EAGAIN),
            new CallSite("sendmsg", SystemCall.SENDMSG, BUT_EAGAIN));

    private static final List<CallSite> URING = List.of(
            site("getpeername", SystemCall.GETPEERNAME),
            site("mmap", SystemCall.MMAP),
            site("io_uring_setup", SystemCall.IO_URING_SETUP),
            site("io_uring_enter", SystemCall.IO_URING_ENTER),
            site("io_uring_register", SystemCall.IO_URING_REGISTER),
            operation("accept", Constants.IORING_OP_ACCEPT),
            operation("recv", Constants.IORING_OP_RECV),
            operation("send", Constants.IORING_OP_SEND),
            operation("sendmsg", Constants.IORING_OP_SENDMSG),
            operation("poll_add", Constants.IORING_OP_POLL_ADD),
            operation("async_cancel", Constants.IORING_OP_ASYNC_CANCEL));

    private static CallSite site(String name, int number) {
        return new CallSite(name, number, ALL);
    }

    private static CallSite operation(String name, int operation) {
        return new CallSite("io_uring " + name, Faults.RING + operation, ALL);
    }

    public static Stream<CallSite> ofEpoll() {
        return Stream.concat(SOCKETS.stream(), EPOLL.stream());
    }

    public static Stream<CallSite> ofUring() {
        return Stream.concat(SOCKETS.stream(), URING.stream());
    }

    /// Whether a call may fail without harm, see above.
    public static boolean mayFail(int number) {
        return number != SystemCall.CLOSE
                && number != SystemCall.MUNMAP
                && number != SystemCall.SHUTDOWN
                && number != SystemCall.WRITE
                && number != SystemCall.FCNTL;
    }

    public static boolean isMapping(int number) {
        return number == SystemCall.MMAP;
    }

    public static boolean isUnmapping(int number) {
        return number == SystemCall.MUNMAP;
    }

    @Override
    public String toString() {
        return name;
    }
}
