package io.millrace.transport;

import io.millrace.transport.Transport.ListenOptions;
import java.io.IOException;

/// Passes the listeners of epoll and io_uring to other processes.
final class LinuxDescriptors<S extends LinuxSocket> implements ListenerDescriptors {
    private final LinuxTransport<S> transport;

    LinuxDescriptors(LinuxTransport<S> transport) {
        this.transport = transport;
    }

    @Override
    public int listen(int descriptor, ListenOptions options) throws IOException {
        var at = transport.kernel.listen(descriptor, options);
        int number = transport.listening(descriptor, at);
        transport.known(number).listener().isShared = true;
        return number;
    }

    @Override
    public int share(int number) throws IOException {
        var socket = transport.known(number);
        var listener = socket.listener();
        int descriptor = transport.kernel.duplicate(socket.fd);
        listener.isShared = true;
        return descriptor;
    }

    @Override
    public void unshare(int number) {
        var socket = transport.open(number);
        if (socket != null) socket.listener().isShared = false;
    }

    @Override
    public void leave(int number) {
        var socket = transport.known(number);
        var listener = socket.listener();
        listener.isShared = true;
        listener.isLeft = true;
        transport.receive(number, false);
        transport.due.add(socket);
    }
}
