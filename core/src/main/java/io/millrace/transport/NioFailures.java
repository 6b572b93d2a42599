package io.millrace.transport;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/// What the JDK's exceptions mean: their kind, and a sentence that names the address and the remedy.
///
/// The JDK passes on the system's text without an error number, so only the text can be examined. If a locale
/// translates it, the result is the operation's most likely kind, with the system's text in the sentence.
final class NioFailures {
    private NioFailures() {}

    /// @param likely the kind if the text does not tell
    static Failure kind(IOException failure, Failure likely) {
        var text = textOf(failure);
        if (text.contains("timed out")) return Failure.TIMED_OUT;
        return isOfResources(text) ? Failure.NO_RESOURCES : likely;
    }

    static String connect(SocketAddress to, IOException failure) {
        return "cannot connect to " + NioAddresses.text(to) + ": " + reason(failure);
    }

    static String transfer(SocketAddress peer, IOException failure) {
        return "the connection to " + NioAddresses.text(peer) + " was cut: " + reason(failure);
    }

    static String accept(SocketAddress at, IOException failure) {
        return "cannot accept on " + NioAddresses.text(at) + ": " + reason(failure);
    }

    static String listen(SocketAddress at, IOException failure) {
        var cannot = "cannot listen on " + NioAddresses.text(at) + ": ";
        var text = textOf(failure);
        if (at instanceof UnixDomainSocketAddress) return cannot + unixReason(text);
        if (text.startsWith("Address already in use")) {
            return cannot + "the address is in use; stop the program that listens there or take another port";
        }
        if (text.startsWith("Cannot assign requested address")) {
            return cannot + "this machine does not have that address; take one it has, or a wildcard";
        }
        if (text.startsWith("Permission denied")) {
            return cannot + "permission denied; take a port from 1024 up, or allow the user this one";
        }
        return cannot + reason(failure);
    }

    static void closeQuietly(Closeable channel) {
        try {
            channel.close();
        } catch (IOException _) {
            // The descriptor is gone all the same, close(2), and an error would help no one.
        }
    }

    private static String unixReason(String text) {
        if (text.startsWith("Address already in use")) {
            return "the path exists already; if no server is using it, remove the file, or take another path";
        }
        if (text.startsWith("No such file")) return "its directory does not exist; create it, or take another path";
        if (text.startsWith("Permission denied")) return "no permission to write to its directory; take another path";
        if (text.contains("too long")) return "the path is too long for a Unix socket; take one below 100 bytes";
        return text;
    }

    private static String reason(IOException failure) {
        var text = textOf(failure);
        if (text.startsWith("Connection refused")) return "connection refused; nothing listens there";
        if (text.startsWith("No such file")) return "no such file; nothing listens there";
        if (text.startsWith("Resource temporarily unavailable")) return "its backlog is full; try again later";
        if (text.startsWith("Connection timed out")) return "the peer did not answer in time";
        if (text.startsWith("Connection reset")) return "reset by the peer";
        if (text.startsWith("Broken pipe")) return "the peer is gone and what is sent to it is lost";
        if (text.startsWith("Too many open files")) {
            return "out of file descriptors; raise the limit with 'ulimit -n', or fs.file-max for the system";
        }
        return text;
    }

    private static boolean isOfResources(String text) {
        return text.startsWith("Too many open files")
                || text.startsWith("No buffer space")
                || text.startsWith("Cannot allocate memory")
                || text.startsWith("Resource temporarily unavailable")
                || text.startsWith("Cannot assign requested address");
    }

    private static String textOf(IOException failure) {
        var text = failure.getMessage();
        return text == null ? failure.toString() : text;
    }
}
