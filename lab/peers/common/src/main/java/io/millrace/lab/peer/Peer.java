package io.millrace.lab.peer;

import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;

/// The frame around every peer: reads the options, starts the server, says where it listens and stays until SIGTERM.
public final class Peer {
    /// Starts a server on the address it is told, 127.0.0.1 unless one is named.
    @FunctionalInterface
    public interface Server {
        /// Starts it, with threads that keep running.
        ///
        /// @return the port it listens on
        /// @throws IllegalArgumentException when the options ask for what this peer cannot do
        int start(PeerOptions options) throws Exception;
    }

    /// A server that starts and then tells its greeting.
    interface Start {
        String greeting() throws Exception;
    }

    private Peer() {}

    /// Runs a server and never returns: the process ends by a signal, or with 2 for wrong options and 1 for a server
    /// that does not start.
    public static void run(String[] arguments, Server server) throws InterruptedException {
        run(() -> {
            var options = PeerOptions.parse(arguments);
            return options.greeting(server.start(options));
        });
    }

    static void run(Start start) throws InterruptedException {
        PrintStream stdout = System.out;
        // Some frameworks greet on standard output, which belongs to the one line below.
        System.setOut(System.err);
        try {
            stdout.println(start.greeting());
            stdout.flush();
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.exit(2);
        } catch (Exception | LinkageError failed) {
            failed.printStackTrace();
            System.exit(1);
        }
        new CountDownLatch(1).await();
    }
}
