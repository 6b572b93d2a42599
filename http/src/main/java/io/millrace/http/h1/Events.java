package io.millrace.http.h1;

import io.millrace.loop.Outbox;
import io.millrace.loop.TcpConnection;
import org.jspecify.annotations.Nullable;

/// What a connection needs to send events from other threads; opened with the first stream, and used by those
/// that follow.
final class Events {
    private final Outbox outbox;
    private volatile @Nullable EventResponse stream;

    Events(TcpConnection connection) {
        this.outbox = connection.openOutbox(this::closed);
    }

    void begin(EventResponse stream) {
        this.stream = stream;
    }

    Outbox outbox() {
        return outbox;
    }

    private void closed() {
        var last = stream;
        if (last != null) last.close();
    }
}
