package io.millrace.os;

/// The error numbers a network program meets, errno(3), with a name and a sentence for each.
///
/// The numbers are the same on x86-64 and aarch64. Calls of [Linux] return them negated.
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int ENODEV = 19;
    public static final int ENOTDIR = 20;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int EPIPE = 32;
    public static final int ENAMETOOLONG = 36;
    public static final int ENOSYS = 38;
    public static final int ELOOP = 40;
    public static final int EBADR = 53;
    public static final int ETIME = 62;
    public static final int EPROTO = 71;
    public static final int ENOTSOCK = 88;
    public static final int EDESTADDRREQ = 89;
    public static final int EMSGSIZE = 90;
    public static final int EPROTOTYPE = 91;
    public static final int ENOPROTOOPT = 92;
    public static final int EPROTONOSUPPORT = 93;
    public static final int EOPNOTSUPP = 95;
    public static final int EAFNOSUPPORT = 97;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETDOWN = 100;
    public static final int ENETUNREACH = 101;
    public static final int ENETRESET = 102;
    public static final int ECONNABORTED = 103;
    public static final int ECONNRESET = 104;
    public static final int ENOBUFS = 105;
    public static final int EISCONN = 106;
    public static final int ENOTCONN = 107;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTDOWN = 112;
    public static final int EHOSTUNREACH = 113;
    public static final int EALREADY = 114;
    public static final int EINPROGRESS = 115;
    public static final int ECANCELED = 125;

    private Errno() {}

    /// The name of `errno` (a positive number) in errno(3), or `errno N` for one that is not in this table.
    public static String name(int errno) {
        return entry(errno).name;
    }

    /// A sentence about `errno` (a positive number), with the remedy if there is one: what to print after
    /// "cannot listen on 0.0.0.0:80: ".
    public static String message(int errno) {
        return entry(errno).message;
    }

    private record Entry(String name, String message) {}

    private static Entry entry(int errno) {
        return switch (errno) {
            case EPERM ->
                new Entry("EPERM", "not permitted (a firewall rule, a seccomp profile or a missing capability)");
            case ENOENT -> new Entry("ENOENT", "no such file or directory");
            case EINTR -> new Entry("EINTR", "interrupted by a signal");
            case EIO -> new Entry("EIO", "input/output error");
            case EBADF -> new Entry("EBADF", "the descriptor is not open");
            case EAGAIN -> new Entry("EAGAIN", "not ready, it would have to wait");
            case ENOMEM -> new Entry("ENOMEM", "the kernel is out of memory");
            case EACCES ->
                new Entry(
                        "EACCES",
                        "permission denied; ports below 1024 need CAP_NET_BIND_SERVICE, a Unix socket write access to"
                                + " its directory");
            case EFAULT -> new Entry("EFAULT", "an address outside of the process's memory was passed");
            case EBUSY -> new Entry("EBUSY", "busy, to be tried again");
            case EEXIST -> new Entry("EEXIST", "it is there already");
            case ENODEV -> new Entry("ENODEV", "no such network device");
            case ENOTDIR -> new Entry("ENOTDIR", "a part of the path is no directory");
            case EINVAL -> new Entry("EINVAL", "invalid argument");
            case ENFILE -> new Entry("ENFILE", "the system is out of file descriptors; raise fs.file-max");
            case EMFILE ->
                new Entry("EMFILE", "the process is out of file descriptors; raise the limit with 'ulimit -n'");
            case ENOSPC ->
                new Entry("ENOSPC", "no room left on the device, or for epoll; raise fs.epoll.max_user_watches");
            case EROFS -> new Entry("EROFS", "the file system is read-only");
            case EPIPE -> new Entry("EPIPE", "the connection is closed for sending");
            case ENAMETOOLONG -> new Entry("ENAMETOOLONG", "the path is too long");
            case ENOSYS -> new Entry("ENOSYS", "the kernel or its sandbox does not know this system call");
            case ELOOP -> new Entry("ELOOP", "too many links in a path, or epoll descriptors in a circle");
            case EBADR -> new Entry("EBADR", "io_uring has lost completions");
            case ETIME -> new Entry("ETIME", "the time is over");
            case EPROTO -> new Entry("EPROTO", "protocol error");
            case ENOTSOCK -> new Entry("ENOTSOCK", "the descriptor is no socket");
            case EDESTADDRREQ -> new Entry("EDESTADDRREQ", "the socket is not connected and no address was given");
            case EMSGSIZE -> new Entry("EMSGSIZE", "the message is too long");
            case EPROTOTYPE -> new Entry("EPROTOTYPE", "the socket at that path is of another type");
            case ENOPROTOOPT -> new Entry("ENOPROTOOPT", "the socket does not know this option");
            case EPROTONOSUPPORT -> new Entry("EPROTONOSUPPORT", "the kernel does not have this protocol");
            case EOPNOTSUPP -> new Entry("EOPNOTSUPP", "the socket does not support this operation");
            case EAFNOSUPPORT ->
                new Entry("EAFNOSUPPORT", "the kernel does not have this address family; is IPv6 disabled?");
            case EADDRINUSE ->
                new Entry(
                        "EADDRINUSE",
                        "the address is in use; stop the program that listens there ('ss -ltnp' names it) or take"
                                + " another port");
            case EADDRNOTAVAIL ->
                new Entry(
                        "EADDRNOTAVAIL",
                        "this machine does not have that address ('ip address' lists them), or has no free port left");
            case ENETDOWN -> new Entry("ENETDOWN", "the network is down");
            case ENETUNREACH -> new Entry("ENETUNREACH", "no route to that network");
            case ENETRESET -> new Entry("ENETRESET", "the network dropped the connection");
            case ECONNABORTED -> new Entry("ECONNABORTED", "the connection was aborted before it was accepted");
            case ECONNRESET -> new Entry("ECONNRESET", "connection reset by the peer");
            case ENOBUFS -> new Entry("ENOBUFS", "the kernel is out of buffers");
            case EISCONN -> new Entry("EISCONN", "the socket is connected already");
            case ENOTCONN -> new Entry("ENOTCONN", "the socket is not connected");
            case ETIMEDOUT -> new Entry("ETIMEDOUT", "the peer did not answer in time");
            case ECONNREFUSED -> new Entry("ECONNREFUSED", "connection refused; nothing listens there");
            case EHOSTDOWN -> new Entry("EHOSTDOWN", "the host is down");
            case EHOSTUNREACH -> new Entry("EHOSTUNREACH", "no route to that host");
            case EALREADY -> new Entry("EALREADY", "a connect is under way already");
            case EINPROGRESS -> new Entry("EINPROGRESS", "the connect is under way");
            case ECANCELED -> new Entry("ECANCELED", "cancelled");
            default -> new Entry("errno " + errno, "error number " + errno + ", see errno(3)");
        };
    }
}
