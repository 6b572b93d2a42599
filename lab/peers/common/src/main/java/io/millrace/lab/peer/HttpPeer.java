package io.millrace.lab.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.List;

/// The frame around every HTTP peer: that of [Peer], one more option, and what there is to answer.
public final class HttpPeer {
    /// A `GET` of it is answered with [#hello()] as `text/plain`.
    public static final String PLAINTEXT = "/plaintext";

    /// A `POST` to it is answered with the body of the request.
    public static final String ECHO = "/echo";

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

    private HttpPeer() {}

    /// The body of the plaintext response, in an array that belongs to the caller.
    public static byte[] hello() {
        return "Hello, World!".getBytes(US_ASCII);
    }

    /// Runs a server and never returns, as [Peer] does. Beside the options of a peer there is `--close`.
    public static void run(String[] arguments, Server server) throws InterruptedException {
        List<String> all = Arrays.asList(arguments);
        String[] others =
                all.stream().filter(argument -> !argument.equals("--close")).toArray(String[]::new);
        Peer.run(others, options -> server.start(options, all.contains("--close")));
    }
}
