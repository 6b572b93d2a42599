package io.millrace.transport;

import io.millrace.transport.Transport.Accepted;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The additional state of a [LinuxSocket] that listens.
final class LinuxListener {
    /// Connections accepted while accepting was off: io_uring accepts ahead.
    final ArrayDeque<Accepted> held = new ArrayDeque<>();

    /// Another process shares it.
    boolean isShared;

    /// Another process has taken it over.
    boolean isLeft;

    /// It was left, and its owner knows that nothing more comes.
    private boolean endWasTold;

    /// Its file, if it is a Unix socket.
    private final @Nullable UnixPath path;

    LinuxListener(@Nullable UnixPath path) {
        this.path = path;
    }

    /// Reports, for a listener that was left, that nothing more comes.
    void tellEnd(int number, Completions to) {
        if (endWasTold) return;
        endWasTold = true;
        to.ended(number);
    }

    /// Releases what it has besides its descriptor, before that is closed.
    void release() {
        if (path != null && !isShared) path.unlink();
        while (!held.isEmpty()) held.remove().discard();
    }
}
