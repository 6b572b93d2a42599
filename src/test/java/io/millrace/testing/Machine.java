package io.millrace.testing;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/// The machine that tests run on.
public final class Machine {
    private static final Queue<Socket> CLOSED = new ConcurrentLinkedQueue<>();

    private Machine() {}

    /// A port of 127.0.0.1 that nobody has now, for a program that cannot be asked which one it has taken.
    public static int freePort() throws IOException {
        return freePort(InetAddress.getLoopbackAddress());
    }

    /// The same for another address.
    public static int freePort(InetAddress of) throws IOException {
        try (var socket = new ServerSocket(0, 1, of)) {
            return socket.getLocalPort();
        }
    }

    /// A port of 127.0.0.1 at which every connection is refused: it is bound until this process ends, so that neither
    /// a server nor a client of another test is given it.
    public static int closedPort() throws IOException {
        var bound = new Socket();
        bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        CLOSED.add(bound);
        return bound.getLocalPort();
    }

    /// The first of these programs that is on the PATH.
    public static Optional<Path> program(List<String> names) {
        var folders = Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator, -1);
        return names.stream()
                .flatMap(name -> Stream.of(folders).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /// Skips the test, because something is not installed; fails it in CI, which installs it.
    ///
    /// @return never; to be thrown, for the compiler
    public static RuntimeException lacks(String message) {
        return "true".equals(System.getenv("CI")) ? fail(message) : abort(message);
    }
}
