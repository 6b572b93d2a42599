package io.millrace.transport;

import io.millrace.memory.Chain;
import org.jspecify.annotations.Nullable;

/// What epoll(7) does not remember of a socket: about 50 bytes for an idle connection.
final class EpollSocket {
    final byte[] peer;
    int number;
    int fd;
    boolean isListener;

    /// Of a listener: another process has it, too.
    boolean isShared;

    /// Of a listener: another process goes on with it.
    boolean isLeft;

    boolean isConnecting;
    boolean isReceiving;
    boolean isReadable;
    boolean hasHungUp;
    boolean isQueued;

    /// What the kernel did not take at once; null when it always did, as with most peers.
    @Nullable
    Chain pending;

    /// Bytes of the send under way that went at once.
    long unreported;

    /// A failure that is told in the next poll.
    @Nullable
    Refusal refusal;

    EpollSocket(int fd, byte[] peer) {
        this.fd = fd;
        this.peer = peer;
    }

    /// Whether a send is under way.
    boolean isSending() {
        return pending != null && !pending.isEmpty();
    }

    boolean isOpen() {
        return fd >= 0;
    }
}
