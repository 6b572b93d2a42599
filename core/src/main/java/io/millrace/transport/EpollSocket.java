package io.millrace.transport;

import static io.millrace.os.Constants.AF_UNIX;

import io.millrace.memory.Chain;
import io.millrace.os.SocketAddresses;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// What epoll(7) does not remember of a socket: about 50 bytes for an idle connection.
final class EpollSocket implements Transport.Addresses {
    /// Both addresses as the kernel writes them; objects are made of them for who asks.
    final byte[] peer;

    byte[] local;
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

    /// A receive may end before what has arrived does: at urgent data (tcp(7)), and in a Unix socket wherever
    /// descriptors were sent along (unix(7)).
    boolean hasBreaks;

    boolean isQueued;

    /// What the kernel did not take at once; null when it always did, as with most peers.
    @Nullable
    Chain pending;

    /// Bytes of the send under way that went at once.
    long unreported;

    /// A failure that is told in the next poll.
    @Nullable
    Refusal refusal;

    EpollSocket(int fd, byte[] peer, byte[] local) {
        this.fd = fd;
        this.peer = peer;
        this.local = local;
        this.hasBreaks = isUnix();
    }

    boolean isUnix() {
        return SocketAddresses.familyOf(peer) == AF_UNIX;
    }

    @Override
    public SocketAddress remote() {
        return SocketAddresses.decode(peer);
    }

    @Override
    public SocketAddress local() {
        return SocketAddresses.decode(local);
    }

    /// Whether a send is under way.
    boolean isSending() {
        return pending != null && !pending.isEmpty();
    }

    boolean isOpen() {
        return fd >= 0;
    }
}
