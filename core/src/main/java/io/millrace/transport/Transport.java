package io.millrace.transport;

import io.millrace.memory.Chain;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The kernel's side of one event loop. Operations are submitted; their results arrive in [#poll] as
/// [Completions].
///
/// A *socket* is a number: an index below [#INDICES] that is reused, and above it a generation, so that a stale
/// number names nothing. All methods except [#wakeup] are called only by the loop's thread.
///
/// The interface is that of completions: io_uring maps to it one to one (a multishot receive fills slabs that
/// the ring was given from the pool), while epoll and NIO try at once and wait only when the kernel requires
/// it. One operation may end at once: [#send], because the readiness transports know its result, and going
/// through `poll` would cost them a system call.
public interface Transport extends AutoCloseable {
    /// Bits of a socket number that are its index.
    int INDEX_BITS = 20;

    int INDICES = 1 << INDEX_BITS;

    static int index(int socket) {
        return socket & (INDICES - 1);
    }

    /// The name of the kernel interface, as in `--transport`.
    String name();

    /// Binds and listens; accepting starts with [#receive].
    ///
    /// @throws IOException with a sentence that names the address and the remedy
    int listen(SocketAddress at, ListenOptions options) throws IOException;

    /// Returns a socket number at once: `connected` or `failed` follows, [#close] cancels.
    ///
    /// @param from the local address, of the same family; null lets the system choose it, port 0 the port
    int connect(SocketAddress to, @Nullable SocketAddress from, SocketOptions options) throws IOException;

    /// Takes over a connection that this or another loop's transport accepted.
    int adopt(Accepted accepted, SocketOptions options) throws IOException;

    /// Keeps receiving (on a listener: accepting) until turned off. Once turned off, nothing more is delivered.
    void receive(int socket, boolean on);

    /// Sends a chain, whose slabs belong to the kernel from now on. A socket has at most one send at a time.
    ///
    /// @return true when everything went at once and the slabs are returned; otherwise the transport keeps the
    ///     chain's slabs, and `sent` reports progress until nothing is left, or `failed`
    boolean send(int socket, Chain bytes);

    /// Half-close: the peer sees the end after what was sent. Not during a send.
    void end(int socket);

    /// Closes at once. The kernel still delivers what was sent; a current send's slabs are returned when the
    /// kernel is done with them. Nothing more is reported for this socket.
    void close(int socket);

    /// Closes at once with a reset: the peer sees an error, the kernel drops what it holds.
    void abort(int socket);

    /// Submits everything, waits until something is complete, the deadline has passed or [#wakeup] was called,
    /// and delivers.
    ///
    /// @param timeoutNanos how long to wait at most; 0 does not wait, [Long#MAX_VALUE] waits without a limit
    /// @return whether something was delivered
    boolean poll(long timeoutNanos, Completions to);

    /// Ends a wait in `poll`, or the next one. Any thread.
    void wakeup();

    /// The addresses of a socket.
    ///
    /// @throws IllegalStateException when it is closed
    Addresses addresses(int socket);

    <T> void option(int socket, SocketOption<T> name, T value) throws IOException;

    <T> T option(int socket, SocketOption<T> name) throws IOException;

    /// Additional abilities if its listeners are Linux descriptors, which processes pass to each other.
    default Optional<ListenerDescriptors> descriptors() {
        return Optional.empty();
    }

    /// Closes every socket and reaps what the kernel still holds; all slabs are returned when this returns.
    @Override
    void close();

    /// The addresses of a socket. Any thread may ask, without waiting, also when it is closed.
    interface Addresses {
        SocketAddress remote();

        /// The wildcard until the socket is connected.
        SocketAddress local();
    }

    /// A connection that a listener accepted and no loop owns yet.
    interface Accepted {
        /// Closes the connection, which is not wanted.
        void discard();
    }

    /// How a socket listens.
    ///
    /// @param backlog   how many connections the kernel may hold until they are accepted
    /// @param reusePort several listeners share the address, the kernel spreads connections over them
    /// @param v6Only    an IPv6 wildcard does not accept IPv4 connections
    record ListenOptions(int backlog, boolean reusePort, boolean v6Only, SocketOptions accepted) {}

    /// Options that each connection starts with, in the given order. `TCP_NODELAY` is on unless it is among
    /// them.
    record SocketOptions(Map<SocketOption<?>, Object> values) {
        public static final SocketOptions NONE = new SocketOptions(Map.of());

        public SocketOptions {
            values.forEach(SocketOptions::check);
        }

        /// Checks a value before a socket gets it.
        ///
        /// @throws IllegalArgumentException for a value that would block an event loop
        public static void check(SocketOption<?> name, Object value) {
            if (!name.equals(StandardSocketOptions.SO_LINGER) || !(value instanceof Integer seconds) || seconds <= 0)
                return;
            throw new IllegalArgumentException("SO_LINGER cannot be " + value + ": the event loop and all its "
                    + "connections would wait in close(2) for as many seconds. Leave it out: close() sends what was "
                    + "written and then waits for the peer's end, and conn.whenSent(…) reports when it was sent");
        }
    }
}
