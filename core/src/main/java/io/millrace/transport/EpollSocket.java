package io.millrace.transport;

import io.millrace.memory.Chain;
import org.jspecify.annotations.Nullable;

/// What epoll(7) does not remember of a socket: about 50 bytes for an idle connection.
final class EpollSocket {
    final Chain pending = new Chain();
    final byte[] peer;
    int number;
    int fd;
    boolean isListener;
    boolean isConnecting;
    boolean isReceiving;
    boolean isReadable;
    boolean hasHungUp;
    boolean isQueued;

    /// Bytes of the send under way that went at once.
    long unreported;

    @Nullable
    String refusal;

    Failure refusalKind = Failure.OTHER;

    @Nullable
    UnixPath unixPath;

    EpollSocket(int fd, byte[] peer) {
        this.fd = fd;
        this.peer = peer;
    }

    boolean isOpen() {
        return fd >= 0;
    }
}
