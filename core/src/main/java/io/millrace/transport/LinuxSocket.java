package io.millrace.transport;

import io.millrace.os.SocketAddresses;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// What epoll(7) and io_uring(7) both do not remember of a socket.
abstract sealed class LinuxSocket implements Transport.Addresses permits EpollSocket, UringSocket {
    static final int NO_DESCRIPTOR = -1;

    /// Both addresses as the kernel writes them; address objects are made on demand.
    final byte[] peer;

    byte[] local;
    int number;
    int fd;

    /// For a listening socket; null for a connection.
    @Nullable
    LinuxListener listener;

    /// A failure that is reported in the next poll.
    @Nullable
    PendingFailure failure;

    boolean isConnecting;

    /// Whether receiving is on.
    boolean isReceiving;

    /// Whether it is among those that the next poll serves.
    boolean isDue;

    LinuxSocket(int fd, byte[] peer, byte[] local) {
        this.fd = fd;
        this.peer = peer;
        this.local = local;
    }

    @Override
    public SocketAddress remote() {
        return SocketAddresses.decode(peer);
    }

    @Override
    public SocketAddress local() {
        return SocketAddresses.decode(local);
    }

    /// @throws IllegalArgumentException when it does not listen
    LinuxListener listener() {
        if (listener == null) throw new IllegalArgumentException("socket " + number + " does not listen");
        return listener;
    }

    /// Records the first failure.
    void fail(LinuxSockets kernel, String doing, int error) {
        if (failure == null) failure = kernel.refusal(doing, peer, error);
    }
}
