package io.millrace.transport;

import java.util.ArrayDeque;

/// The sockets that have something to tell in the next poll, whatever the kernel says; each stands here once.
final class DueSockets<S extends LinuxSocket> {
    private final ArrayDeque<S> sockets = new ArrayDeque<>();

    void add(S socket) {
        if (socket.isDue) return;
        socket.isDue = true;
        sockets.add(socket);
    }

    /// The one that has waited longest, of which there is one.
    S next() {
        var socket = sockets.remove();
        socket.isDue = false;
        return socket;
    }

    int size() {
        return sockets.size();
    }

    boolean isEmpty() {
        return sockets.isEmpty();
    }
}
