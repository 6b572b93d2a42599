package io.millrace.os;

/// The numbers of Linux's headers that a network program passes to its calls, under their names in the man pages.
///
/// All of them are the same on x86-64 and aarch64; what differs is the numbers of the calls ([SystemCall]) and
/// the packing of `epoll_event` ([EpollEvents]).
public final class Constants {
    // socket(2), unix(7), ip(7), ipv6(7)
    public static final int AF_UNIX = 1;
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;
    public static final int SOCK_STREAM = 1;
    public static final int SOCK_DGRAM = 2;
    public static final int SOCK_SEQPACKET = 5;
    public static final int SOCK_NONBLOCK = 0x800;
    public static final int SOCK_CLOEXEC = 0x80000;

    // send(2), sendmsg(2), recvmsg(2), unix(7), shutdown(2)
    public static final int MSG_NOSIGNAL = 0x4000;
    public static final int MSG_CTRUNC = 0x8;
    public static final int MSG_TRUNC = 0x20;
    public static final int MSG_CMSG_CLOEXEC = 0x40000000;
    public static final int SCM_RIGHTS = 1;
    public static final int SCM_MAX_FD = 253;
    public static final int IOV_MAX = 1024;
    public static final int SHUT_RD = 0;
    public static final int SHUT_WR = 1;
    public static final int SHUT_RDWR = 2;

    // socket(7)
    public static final int SOL_SOCKET = 1;
    public static final int SO_REUSEADDR = 2;
    public static final int SO_TYPE = 3;
    public static final int SO_ERROR = 4;
    public static final int SO_SNDBUF = 7;
    public static final int SO_RCVBUF = 8;
    public static final int SO_KEEPALIVE = 9;
    public static final int SO_ACCEPTCONN = 30;
    public static final int SO_LINGER = 13;
    public static final int SO_REUSEPORT = 15;
    public static final int SO_PEERCRED = 17;
    public static final int SO_RCVTIMEO = 20;
    public static final int SO_SNDTIMEO = 21;

    // ip(7), ipv6(7)
    public static final int IPPROTO_IP = 0;
    public static final int IP_TOS = 1;
    public static final int IP_FREEBIND = 15;
    public static final int IP_BIND_ADDRESS_NO_PORT = 24;
    public static final int IPPROTO_IPV6 = 41;
    public static final int IPV6_V6ONLY = 26;
    public static final int IPV6_FREEBIND = 78;

    // tcp(7): times in seconds, but TCP_USER_TIMEOUT in milliseconds
    public static final int IPPROTO_TCP = 6;
    public static final int TCP_NODELAY = 1;
    public static final int TCP_KEEPIDLE = 4;
    public static final int TCP_KEEPINTVL = 5;
    public static final int TCP_KEEPCNT = 6;
    public static final int TCP_QUICKACK = 12;
    public static final int TCP_USER_TIMEOUT = 18;
    public static final int TCP_NOTSENT_LOWAT = 25;

    // epoll_ctl(2), epoll_create1(2), eventfd(2)
    public static final int EPOLL_CTL_ADD = 1;
    public static final int EPOLL_CTL_DEL = 2;
    public static final int EPOLLIN = 0x1;
    public static final int EPOLLOUT = 0x4;
    public static final int EPOLLERR = 0x8;
    public static final int EPOLLHUP = 0x10;
    /// Urgent data has arrived, tcp(7).
    public static final int EPOLLPRI = 0x002;
    public static final int EPOLLRDHUP = 0x2000;
    public static final int EPOLLET = 1 << 31;
    public static final int EPOLL_CLOEXEC = 0x80000;
    public static final int EFD_NONBLOCK = 0x800;
    public static final int EFD_CLOEXEC = 0x80000;

    // fcntl(2)
    public static final int F_SETFD = 2;
    public static final int FD_CLOEXEC = 1;
    public static final int F_SETFL = 4;
    public static final int F_DUPFD_CLOEXEC = 1030;

    // mmap(2), poll(2)
    public static final int PROT_READ_WRITE = 3;
    public static final int MAP_SHARED = 1;
    public static final int MAP_PRIVATE = 2;
    public static final int MAP_ANONYMOUS = 0x20;
    public static final int MAP_POPULATE = 0x8000;
    public static final int POLLIN = 0x1;
    public static final int POLLOUT = 0x4;
    public static final int POLLERR = 0x8;

    // io_uring_setup(2)
    public static final int IORING_SETUP_CQSIZE = 1 << 3;
    public static final int IORING_SETUP_SUBMIT_ALL = 1 << 7;
    public static final int IORING_SETUP_COOP_TASKRUN = 1 << 8;
    public static final int IORING_SETUP_SINGLE_ISSUER = 1 << 12;
    public static final int IORING_SETUP_DEFER_TASKRUN = 1 << 13;
    public static final int IORING_SETUP_NO_SQARRAY = 1 << 16;
    public static final int IORING_FEAT_SINGLE_MMAP = 1;
    public static final int IORING_FEAT_NODROP = 1 << 1;
    public static final int IORING_FEAT_SUBMIT_STABLE = 1 << 2;
    public static final int IORING_FEAT_EXT_ARG = 1 << 8;
    public static final int IORING_OFF_SQ_RING = 0;
    public static final int IORING_OFF_SQES = 0x10000000;

    // io_uring_enter(2)
    public static final int IORING_ENTER_GETEVENTS = 1;
    public static final int IORING_ENTER_EXT_ARG = 1 << 3;
    public static final int IORING_SQ_CQ_OVERFLOW = 1 << 1;
    public static final int IORING_OP_NOP = 0;
    public static final int IORING_OP_POLL_ADD = 6;
    public static final int IORING_OP_SENDMSG = 9;
    public static final int IORING_OP_ACCEPT = 13;
    public static final int IORING_OP_ASYNC_CANCEL = 14;
    public static final int IORING_OP_SEND = 26;
    public static final int IORING_OP_RECV = 27;
    public static final int IOSQE_BUFFER_SELECT = 1 << 5;
    public static final int IORING_ACCEPT_MULTISHOT = 1;
    public static final int IORING_RECV_MULTISHOT = 1 << 1;
    public static final int IORING_POLL_ADD_MULTI = 1;
    public static final int IORING_CQE_F_BUFFER = 1;
    public static final int IORING_CQE_F_MORE = 1 << 1;
    public static final int IORING_CQE_BUFFER_SHIFT = 16;

    // io_uring_register(2)
    public static final int IORING_REGISTER_PROBE = 8;
    public static final int IORING_REGISTER_PBUF_RING = 22;
    public static final int IORING_UNREGISTER_PBUF_RING = 23;
    public static final int IO_URING_OP_SUPPORTED = 1;

    private Constants() {}
}
