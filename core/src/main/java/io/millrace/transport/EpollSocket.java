package io.millrace.transport;

import static io.millrace.os.Constants.AF_UNIX;

import io.millrace.memory.Chain;
import io.millrace.os.SocketAddresses;
import org.jspecify.annotations.Nullable;

/// What epoll(7) does not remember of a socket: about 50 bytes for an idle connection.
final class EpollSocket extends LinuxSocket {
    boolean isReadable;
    boolean hasHungUp;

    /// A receive may stop before the end of what has arrived: at urgent data (tcp(7)), and in a Unix socket
    /// wherever descriptors were sent (unix(7)).
    boolean hasBreaks;

    /// What the kernel did not take at once; null when it always did, as with most peers.
    @Nullable
    Chain pending;

    /// Bytes of the current send that the kernel took at once.
    long unreported;

    EpollSocket(int fd, byte[] peer, byte[] local) {
        super(fd, peer, local);
        this.hasBreaks = isUnix();
    }

    boolean isUnix() {
        return SocketAddresses.familyOf(peer) == AF_UNIX;
    }

    /// Whether a send is in progress.
    boolean isSending() {
        return pending != null && !pending.isEmpty();
    }

    boolean isOpen() {
        return fd >= 0;
    }
}
