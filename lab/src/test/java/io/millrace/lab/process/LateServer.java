package io.millrace.lab.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/// Listens on the port it is told, and prints nothing.
final class LateServer {
    private LateServer() {}

    public static void main(String[] arguments) throws IOException {
        try (var server = new ServerSocket(Integer.parseInt(arguments[0]), 10, InetAddress.getLoopbackAddress())) {
            while (true) {
                server.accept().close();
            }
        }
    }
}
