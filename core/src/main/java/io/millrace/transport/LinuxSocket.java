package io.millrace.transport;

import io.millrace.os.SocketAddresses;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// What epoll(7) and io_uring(7) both do not remember of a socket.
abstract sealed class LinuxSocket implements Transport.Addresses permits EpollSocket, UringSocket {
    static final int NO_DESCRIPTOR = -1;

    /// Both addresses as the kernel writes them; objects are made of them for who asks.
    final byte[] peer;

    byte[] local;
    int number;
    int fd;

    /// Of a socket that listens; null of a connection.
    @Nullable
    LinuxListener listener;

    /// A failure that is told when its turn comes.
    @Nullable
    PendingFailure failure;

    boolean isConnecting;

    /// Whether somebody wants what arrives.
    boolean isReceiving;

    /// It is among those that the next poll serves.
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

    /// Notes the first failure.
    void fail(LinuxSockets kernel, String doing, int error) {
        if (failure == null) failure = kernel.refusal(doing, peer, error);
    }
}
