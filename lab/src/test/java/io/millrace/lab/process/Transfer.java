package io.millrace.lab.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// Both ends of a transfer, and a lab with a network.
final class Transfer {
    private Transfer() {}

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "serve" ->
                serve(
                        InetAddress.ofLiteral(arguments[1]),
                        Integer.parseInt(arguments[2]),
                        Integer.parseInt(arguments[3]));
            case "receive" -> receive(InetAddress.ofLiteral(arguments[1]), Integer.parseInt(arguments[2]));
            case "network" -> makeNetwork();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /// Sends so many bytes to each who connects. Greets only when it may choose its port.
    private static void serve(InetAddress host, int port, int bytes) throws IOException {
        try (var server = new ServerSocket(port, 10, host)) {
            if (port == 0) {
                System.out.println("listening on " + host.getHostAddress() + ":" + server.getLocalPort());
            }
            while (true) {
                try (var socket = server.accept()) {
                    socket.getOutputStream().write(new byte[bytes]);
                }
            }
        }
    }

    /// Prints how many bytes came, and within how many nanoseconds.
    private static void receive(InetAddress host, int port) throws IOException {
        long startNanos = System.nanoTime();
        try (var socket = new Socket(host, port)) {
            byte[] buffer = new byte[64 * 1024];
            long bytes = 0;
            for (int count = socket.getInputStream().read(buffer);
                    count >= 0;
                    count = socket.getInputStream().read(buffer)) {
                bytes += count;
            }
            System.out.println(bytes + " " + (System.nanoTime() - startNanos));
        }
    }

    private static void makeNetwork() throws IOException, InterruptedException {
        var network = TestNetwork.shaped1Gbit();
        for (var prefix : List.of(network.serverPrefix(), network.loadPrefix())) {
            var words = new ArrayList<>(prefix);
            words.addAll(List.of("sh", "-c", "sleep 1000 & wait"));
            Children.start(new ProcessBuilder(words));
        }
        System.out.println("made");
        new CountDownLatch(1).await();
    }
}
