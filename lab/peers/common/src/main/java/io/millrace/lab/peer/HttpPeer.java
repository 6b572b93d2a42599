package io.millrace.lab.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The frame around every HTTP peer: that of [Peer], one more option, and what there is to answer.
public final class HttpPeer {
    /// A `GET` of it is answered with [#hello()] as `text/plain`.
    public static final String PLAINTEXT = "/plaintext";

    /// A `POST` to it is answered with the body of the request.
    public static final String ECHO = "/echo";

    /// A WebSocket there gets each message of text back.
    public static final String SOCKET_ECHO = "/ws";

    /// Each message of text of a WebSocket there goes to all of them, its sender's too.
    public static final String SOCKET_CHAT = "/ws/chat";

    /// Starts a server on the address it is told.
    @FunctionalInterface
    public interface Server {
        /// Starts it, with threads that keep running.
        ///
        /// @param isClosing whether every response says `Connection: close` and ends its connection
        /// @return the port it listens on
        /// @throws IllegalArgumentException when the options ask for what this peer cannot do
        int start(PeerOptions options, boolean isClosing) throws Exception;
    }

    /// The same, and over TLS where it is told who it is.
    @FunctionalInterface
    public interface TlsServer {
        /// Starts it, as [Server#start] does.
        ///
        /// @param identity who it is; empty in the clear
        int start(PeerOptions options, boolean isClosing, Optional<Identity> identity) throws Exception;
    }

    /// A server that speaks HTTP/2, by prior knowledge or over TLS.
    @FunctionalInterface
    public interface Http2Server {
        /// Starts it, as [Server#start] does.
        ///
        /// @param identity who it is; empty in the clear
        int start(PeerOptions options, Optional<Identity> identity) throws Exception;
    }

    private static final String CLOSE = "--close";
    private static final String IDENTITY = "--identity";

    private HttpPeer() {}

    /// The body of the plaintext response, in an array that belongs to the caller.
    public static byte[] hello() {
        return "Hello, World!".getBytes(US_ASCII);
    }

    /// Runs a server and never returns, as [Peer] does. Beside the options of a peer there is `--close`.
    public static void run(String[] arguments, Server server) throws InterruptedException {
        List<String> others = new ArrayList<>(Arrays.asList(arguments));
        boolean isClosing = others.remove(CLOSE);
        Peer.run(others.toArray(String[]::new), options -> server.start(options, isClosing));
    }

    /// The same with `--identity FOLDER`, too.
    public static void runTls(String[] arguments, TlsServer server) throws InterruptedException {
        List<String> others = new ArrayList<>(Arrays.asList(arguments));
        Optional<Identity> identity = identity(others);
        run(others.toArray(String[]::new), (options, isClosing) -> server.start(options, isClosing, identity));
    }

    /// The same for HTTP/2, which has no `--close`.
    public static void runHttp2(String[] arguments, Http2Server server) throws InterruptedException {
        List<String> others = new ArrayList<>(Arrays.asList(arguments));
        Optional<Identity> identity = identity(others);
        Peer.run(others.toArray(String[]::new), options -> server.start(options, identity));
    }

    private static Optional<Identity> identity(List<String> options) {
        return take(IDENTITY, options).map(Path::of).map(Identity::new);
    }

    /// The value of an option of a peer's own, which is left out of the others then; empty when it is not there.
    public static Optional<String> take(String name, List<String> options) {
        int at = options.indexOf(name);
        if (at < 0 || at + 1 == options.size()) return Optional.empty();
        options.remove(at);
        return Optional.of(options.remove(at));
    }
}
