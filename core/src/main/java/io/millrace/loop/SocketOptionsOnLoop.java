package io.millrace.loop;

import io.millrace.net.Connection;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketOption;

/// The options of a connection's socket, which only its loop may touch: other threads wait for the loop.
record SocketOptionsOnLoop(EventLoop loop, int socket) implements Connection.Options {
    @Override
    public <T> void set(SocketOption<T> name, T value) {
        SocketOptions.check(name, value);
        Awaiting.ask(loop, () -> setNow(name, value));
    }

    private <T> T setNow(SocketOption<T> name, T value) {
        try {
            loop.transport().option(socket, name, value);
            return value;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public <T> T get(SocketOption<T> name) {
        return Awaiting.ask(loop, () -> getNow(name));
    }

    private <T> T getNow(SocketOption<T> name) {
        try {
            return loop.transport().option(socket, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
