package io.millrace.os;

/// Numbers of Linux's headers that tests alone need.
final class TestedConstants {
    static final int EPOLL_CTL_MOD = 3;
    static final int FD_CLOEXEC = 1;
    static final int F_GETFD = 1;
    static final int F_GETFL = 3;
    static final int IPV6_TCLASS = 67;
    static final int O_NONBLOCK = 0x800;
    static final int SO_INCOMING_CPU = 49;
    static final int TCP_DEFER_ACCEPT = 9;
    static final int TCP_FASTOPEN = 23;

    private TestedConstants() {}
}
