package io.millrace.lab.peer.jdk;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;

/// Blocking sockets, a virtual thread for each. `--loops` is the number of carrier threads.
public final class VirtualThreadEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, VirtualThreadEcho::start);
    }

    // The sockets live as long as the process.
    @SuppressWarnings("resource")
    private static int start(PeerOptions options) throws IOException {
        options.onlyOn("nio").onlyInline();
        // The JDK reads it when the first virtual thread starts.
        System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(options.loops()));
        var server = new ServerSocket(options.port(), 1024, options.address().getAddress());
        Thread.ofVirtual().start(() -> accept(server));
        return server.getLocalPort();
    }

    private static void accept(ServerSocket server) {
        try {
            while (true) {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> echo(socket));
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static void echo(Socket accepted) {
        try (var socket = accepted) {
            socket.setTcpNoDelay(true);
            var in = socket.getInputStream();
            var out = socket.getOutputStream();
            byte[] buffer = new byte[64 * 1024];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                out.write(buffer, 0, count);
            }
        } catch (IOException gone) {
            // The client went away in the middle of something.
        }
    }
}
