package io.millrace.transport;

import io.millrace.transport.Transport.Accepted;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// What a [LinuxSocket] is besides when it listens.
final class LinuxListener {
    /// What was accepted while nobody wanted it: io_uring accepts ahead.
    final ArrayDeque<Accepted> held = new ArrayDeque<>();

    /// Another process has it, too.
    boolean isShared;

    /// Another process goes on with it.
    boolean isLeft;

    /// It was left, and its owner has heard that nothing more comes.
    private boolean endWasTold;

    /// Its file, when it is a Unix socket.
    private final @Nullable UnixPath path;

    LinuxListener(@Nullable UnixPath path) {
        this.path = path;
    }

    /// Of one that is left: nothing more comes of it.
    void tellEnd(int number, Completions to) {
        if (endWasTold) return;
        endWasTold = true;
        to.ended(number);
    }

    /// Gives up what it has besides its descriptor, before that is closed.
    void release() {
        if (path != null && !isShared) path.unlink();
        while (!held.isEmpty()) held.remove().discard();
    }
}
