package io.millrace.transport;

import static io.millrace.os.Constants.*;

import io.millrace.net.LinuxSocketOptions;
import io.millrace.os.Errno;
import io.millrace.os.Linux;
import io.millrace.os.SockAddr;
import io.millrace.os.SocketAddresses;
import io.millrace.transport.Transport.ListenOptions;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/// Common to the Linux transports: opening sockets, their options, and what an errno means. Belongs to one
/// thread.
final class LinuxSockets {
    private record Name(int level, int name) {}

    /// The options whose value is an int or a boolean.
    private static final Map<SocketOption<?>, Name> NAMES = Map.ofEntries(
            Map.entry(StandardSocketOptions.TCP_NODELAY, new Name(IPPROTO_TCP, TCP_NODELAY)),
            Map.entry(StandardSocketOptions.SO_KEEPALIVE, new Name(SOL_SOCKET, SO_KEEPALIVE)),
            Map.entry(StandardSocketOptions.SO_RCVBUF, new Name(SOL_SOCKET, SO_RCVBUF)),
            Map.entry(StandardSocketOptions.SO_SNDBUF, new Name(SOL_SOCKET, SO_SNDBUF)),
            Map.entry(StandardSocketOptions.SO_REUSEADDR, new Name(SOL_SOCKET, SO_REUSEADDR)),
            Map.entry(StandardSocketOptions.SO_REUSEPORT, new Name(SOL_SOCKET, SO_REUSEPORT)),
            Map.entry(StandardSocketOptions.IP_TOS, new Name(IPPROTO_IP, IP_TOS)),
            Map.entry(LinuxSocketOptions.TCP_USER_TIMEOUT, new Name(IPPROTO_TCP, TCP_USER_TIMEOUT)),
            Map.entry(ExtendedSocketOptions.TCP_KEEPIDLE, new Name(IPPROTO_TCP, TCP_KEEPIDLE)),
            Map.entry(ExtendedSocketOptions.TCP_KEEPINTERVAL, new Name(IPPROTO_TCP, TCP_KEEPINTVL)),
            Map.entry(ExtendedSocketOptions.TCP_KEEPCOUNT, new Name(IPPROTO_TCP, TCP_KEEPCNT)),
            Map.entry(ExtendedSocketOptions.TCP_QUICKACK, new Name(IPPROTO_TCP, TCP_QUICKACK)));

    /// How much output the kernel takes ahead of what it has sent. Otherwise it takes megabytes for a peer that
    /// reads nothing, and thousands of such peers take gigabytes.
    private static final int MOST_NOT_SENT_BYTES = 32 << 10;

    private final Linux linux;
    private final SockAddr address;

    /// The last local address, which most connections of a listener share.
    private byte[] lastLocal = {};

    LinuxSockets(Linux linux, SockAddr address) {
        this.linux = linux;
        this.address = address;
    }

    /// A bound and listening descriptor.
    int listen(SocketAddress at, ListenOptions options) throws IOException {
        int family = SocketAddresses.family(at);
        int fd = open(family, options.accepted());
        try {
            if (family != AF_UNIX) setInt(fd, SOL_SOCKET, SO_REUSEADDR, 1);
            if (options.reusePort()) setInt(fd, SOL_SOCKET, SO_REUSEPORT, 1);
            if (family == AF_INET6) setInt(fd, IPPROTO_IPV6, IPV6_V6ONLY, options.v6Only() ? 1 : 0);
            address.set(at);
            bound(linux.bind(fd, address), at);
            bound(linux.listen(fd, options.backlog()), at);
            return fd;
        } catch (IOException | RuntimeException e) {
            linux.close(fd);
            throw e;
        }
    }

    /// Takes over a listening descriptor: this process's limits and options apply from now on.
    ///
    /// @return where it listens
    SocketAddress listen(int fd, ListenOptions options) throws IOException {
        var at = checkedName(fd);
        configure(fd, SocketAddresses.family(at), options.accepted());
        int result = linux.listen(fd, options.backlog());
        if (result >= 0) return at;
        linux.close(fd);
        throw new IOException("cannot take over listening on " + shown(at) + ": " + Errno.message(-result));
    }

    private SocketAddress checkedName(int fd) throws IOException {
        try {
            checked(linux.getsockname(fd, address), "descriptor " + fd + " is not a socket");
            return address.get();
        } catch (IOException | RuntimeException e) {
            linux.close(fd);
            throw e;
        }
    }

    /// Where a listener is bound, as the kernel writes it.
    byte[] bound(int fd) throws IOException {
        checked(linux.getsockname(fd, address), "cannot ask where a socket is bound");
        return address.copy();
    }

    /// An accepted connection's local address: the listener's, unless that is a wildcard.
    byte[] local(int fd, byte[] listener) {
        return SocketAddresses.isWildcard(listener) ? connected(fd, listener) : listener;
    }

    /// A connected socket's local address; the wildcard if the kernel does not tell.
    ///
    /// @param alike an address of the same family
    byte[] connected(int fd, byte[] alike) {
        if (linux.getsockname(fd, address) < 0) return SocketAddresses.nobody(alike);
        lastLocal = address.copy(lastLocal);
        return lastLocal;
    }

    /// Another descriptor of the same socket.
    int duplicate(int fd) throws IOException {
        return checked(linux.fcntl(fd, F_DUPFD_CLOEXEC, 0), "cannot duplicate the descriptor of a listener");
    }

    private int open(int family, SocketOptions options) throws IOException {
        int fd = checked(linux.socket(family, SOCK_STREAM), "cannot open a socket");
        configure(fd, family, options);
        return fd;
    }

    /// Sets the options that a stream socket starts with, and that connections of a listener inherit; closes it
    /// when the kernel refuses one.
    void configure(int fd, int family, SocketOptions options) throws IOException {
        try {
            if (family != AF_UNIX) setInt(fd, IPPROTO_TCP, TCP_NODELAY, 1);
            if (family != AF_UNIX) setInt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, MOST_NOT_SENT_BYTES);
            for (var option : options.values().entrySet()) set(fd, option.getKey(), option.getValue());
        } catch (IOException | RuntimeException e) {
            linux.close(fd);
            throw e;
        }
    }

    /// Connects a client's socket, from a local address if one is given.
    ///
    /// @return 0, or `-errno`
    int connect(int fd, SocketAddress to, @Nullable SocketAddress from) throws IOException {
        if (from != null) {
            // Otherwise each connection takes a port of its own, wherever it connects to, and there are only 28
            // 000.
            boolean isAnyPort = from instanceof InetSocketAddress inet && inet.getPort() == 0;
            if (isAnyPort) linux.setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
            address.set(from);
            int result = linux.bind(fd, address);
            if (result < 0) return result;
        }
        address.set(to);
        return linux.connect(fd, address);
    }

    /// Describes what a client was doing, for [#refusal].
    static String connecting(@Nullable SocketAddress from) {
        return from == null ? "connecting to" : "connecting from " + shown(from) + " to";
    }

    /// Ends the current receive after what has arrived; the peer does not notice.
    void endInput(int fd) {
        linux.shutdown(fd, SHUT_RD);
    }

    void set(int fd, SocketOption<?> option, Object value) throws IOException {
        if (option.equals(StandardSocketOptions.SO_LINGER)) {
            checked(linux.setLinger(fd, (Integer) value), "cannot set SO_LINGER to " + value);
            return;
        }
        var name = name(option);
        int number = value instanceof Boolean on ? (on ? 1 : 0) : (Integer) value;
        checked(linux.setsockopt(fd, name.level, name.name, number), "cannot set " + option.name() + " to " + value);
    }

    <T> T get(int fd, SocketOption<T> option) throws IOException {
        if (option.equals(StandardSocketOptions.SO_LINGER)) return option.type().cast(linger(fd));
        var name = name(option);
        long value = linux.getsockopt(fd, name.level, name.name);
        if (value < 0) throw new IOException("cannot read " + option.name() + ": " + Errno.message((int) -value));
        return option.type().cast(option.type() == Boolean.class ? (Object) (value != 0) : (Object) (int) value);
    }

    /// As the JDK returns it: -1 when it is off.
    private Integer linger(int fd) throws IOException {
        var linger = new int[2];
        checked(linux.getLinger(fd, linger), "cannot read SO_LINGER");
        return linger[0] == 0 ? -1 : linger[1];
    }

    private static Name name(SocketOption<?> option) {
        var name = NAMES.get(option);
        if (name != null) return name;
        throw new UnsupportedOperationException("this transport does not know the option " + option.name());
    }

    private void setInt(int fd, int level, int name, int value) throws IOException {
        checked(linux.setsockopt(fd, level, name, value), "cannot set option " + name + " of level " + level);
    }

    static void bound(int result, SocketAddress at) throws BindException {
        if (result < 0) throw new BindException("cannot listen on " + shown(at) + ": " + reason(-result, at));
    }

    private static String reason(int error, SocketAddress at) {
        if (!(at instanceof UnixDomainSocketAddress)) return Errno.message(error);
        return switch (error) {
            case Errno.EADDRINUSE -> "the path exists: remove the file if no process serves it";
            case Errno.ENOENT -> "its directory does not exist: create it, or take another path";
            default -> Errno.message(error);
        };
    }

    /// An address without the slash that Java puts in front of a literal one.
    private static String shown(SocketAddress address) {
        var text = address.toString();
        return text.startsWith("/") && !(address instanceof UnixDomainSocketAddress) ? text.substring(1) : text;
    }

    static int checked(int result, String what) throws IOException {
        if (result < 0) throw new IOException(what + ": " + Errno.message(-result));
        return result;
    }

    String sentence(String doing, byte[] peer, int error) {
        return doing + " " + shown(SocketAddresses.decode(peer)) + ": " + Errno.message(error);
    }

    PendingFailure refusal(String doing, byte[] peer, int error) {
        return new PendingFailure(kind(error), sentence(doing, peer, error));
    }

    static Failure kind(int error) {
        return switch (error) {
            case Errno.ECONNREFUSED,
                    Errno.EHOSTUNREACH,
                    Errno.ENETUNREACH,
                    Errno.EHOSTDOWN,
                    Errno.ENETDOWN,
                    Errno.ENOENT,
                    Errno.EACCES,
                    Errno.EPERM,
                    Errno.EADDRNOTAVAIL -> Failure.REFUSED;
            case Errno.ECONNRESET, Errno.EPIPE, Errno.ECONNABORTED, Errno.ENETRESET, Errno.ENOTCONN -> Failure.RESET;
            case Errno.ETIMEDOUT -> Failure.TIMED_OUT;
            case Errno.EMFILE, Errno.ENFILE, Errno.ENOBUFS, Errno.ENOMEM, Errno.EAGAIN -> Failure.NO_RESOURCES;
            default -> Failure.OTHER;
        };
    }
}
