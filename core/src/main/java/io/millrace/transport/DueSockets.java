package io.millrace.transport;

import java.util.ArrayDeque;

/// The sockets with something to report in the next poll, whatever the kernel reports; each is listed once.
final class DueSockets<S extends LinuxSocket> {
    private final ArrayDeque<S> sockets = new ArrayDeque<>();

    void add(S socket) {
        if (socket.isDue) return;
        socket.isDue = true;
        sockets.add(socket);
    }

    /// The socket that has waited longest; there must be one.
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
