package io.millrace.transport;

import static java.net.StandardSocketOptions.TCP_NODELAY;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SocketChannel;

/// Socket options of [Nio]: those of [java.net.StandardSocketOptions] and [jdk.net.ExtendedSocketOptions] that
/// the JDK supports for the kind of socket.
final class NioOptions {
    private NioOptions() {}

    /// Sets the options that a connection starts with.
    static void apply(SocketChannel channel, Transport.SocketOptions options) throws IOException {
        var values = options.values();
        if (!values.containsKey(TCP_NODELAY) && channel.supportedOptions().contains(TCP_NODELAY)) {
            channel.setOption(TCP_NODELAY, true);
        }
        for (var option : values.entrySet()) set(channel, option.getKey(), option.getValue());
    }

    /// Tries options on a socket of the kind that a listener accepts, so that a mistake is found at the start
    /// and not at every connection.
    static void check(SocketAddress at, Transport.SocketOptions options) throws IOException {
        if (options.values().isEmpty()) return;
        try (var probe = SocketChannel.open(NioAddresses.family(at))) {
            apply(probe, options);
        }
    }

    static <T> void set(NetworkChannel channel, SocketOption<T> name, Object value) throws IOException {
        requireSupported(channel, name);
        if (!name.type().isInstance(value)) {
            throw new IllegalArgumentException("socket option " + name.name() + " cannot be " + value + ": it takes a "
                    + name.type().getSimpleName());
        }
        try {
            channel.setOption(name, name.type().cast(value));
        } catch (IllegalArgumentException outOfRange) {
            throw new IllegalArgumentException(
                    "socket option " + name.name() + " cannot be " + value + ": " + outOfRange.getMessage(),
                    outOfRange);
        }
    }

    static <T> T get(NetworkChannel channel, SocketOption<T> name) throws IOException {
        requireSupported(channel, name);
        return channel.getOption(name);
    }

    private static void requireSupported(NetworkChannel channel, SocketOption<?> name) {
        if (channel.supportedOptions().contains(name)) return;
        throw new UnsupportedOperationException("nio has no socket option " + name.name()
                + " for this kind of socket: leave it out, or take another" + " transport if that has it");
    }
}
