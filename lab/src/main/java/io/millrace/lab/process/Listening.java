package io.millrace.lab.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Whether a process accepts connections at an address.
final class Listening {
    private static final int ANSWER_WITHIN_MILLIS = 200;

    private Listening() {}

    /// Asks by connecting. A process in another network namespace cannot be reached: there it is the process's
    /// list of sockets that tells.
    static boolean at(InetSocketAddress address, long pid) {
        return isInOurNetwork(pid) ? accepts(address) : hasListener(new Proc(pid), address.getPort());
    }

    static boolean accepts(InetSocketAddress address) {
        try (var socket = new Socket()) {
            if (!isHere(address.getAddress())) {
                return false;
            }
            socket.connect(address, ANSWER_WITHIN_MILLIS);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    /// For a foreign address a gateway may accept connections for an absent server.
    private static boolean isHere(@Nullable InetAddress address) throws IOException {
        return address != null
                && (address.isLoopbackAddress()
                        || address.isAnyLocalAddress()
                        || NetworkInterface.getByInetAddress(address) != null);
    }

    /// True also when that is unknown.
    static boolean isInOurNetwork(long pid) {
        try {
            return network(Long.toString(pid)).equals(network("self"));
        } catch (IOException unknown) {
            return true;
        }
    }

    private static Path network(String process) throws IOException {
        return Files.readSymbolicLink(Path.of("/proc", process, "ns", "net"));
    }

    /// Lines of `/proc/PID/net/tcp` say number, local address, remote address, state; 0A is LISTEN.
    private static boolean hasListener(Proc process, int port) {
        var hexPort = String.format(Locale.ROOT, ":%04X", port);
        return (process.text("net/tcp") + process.text("net/tcp6"))
                .lines()
                .map(line -> line.strip().split(" +", 5))
                .anyMatch(words -> words.length > 3 && words[1].endsWith(hexPort) && words[3].equals("0A"));
    }
}
