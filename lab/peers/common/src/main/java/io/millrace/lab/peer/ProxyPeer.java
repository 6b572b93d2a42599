package io.millrace.lab.peer;

/// The frame around every proxy: that of [Peer], with the options of a proxy.
public final class ProxyPeer {
    /// Starts a proxy on the address it is told.
    @FunctionalInterface
    public interface Server {
        /// Starts it, with threads that keep running.
        ///
        /// @return the port it listens on
        /// @throws IllegalArgumentException when the options ask for what this proxy cannot do
        int start(ProxyOptions options) throws Exception;
    }

    private ProxyPeer() {}

    /// Runs a proxy and never returns: the process ends by a signal, or with 2 for wrong options and 1 for a proxy that
    /// does not start.
    public static void run(String[] arguments, Server server) throws InterruptedException {
        Peer.run(() -> {
            var options = ProxyOptions.parse(arguments);
            return options.peer().greeting(server.start(options));
        });
    }
}
