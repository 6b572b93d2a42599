package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.IOException;
import java.net.Socket;
import java.util.Random;

/// Bytes that must come back.
final class RoundTrips {
    private RoundTrips() {}

    /// Sends so many bytes, which fit into the socket buffers on the way, and a half-close.
    static void assertEchoes(Socket socket, int lengthBytes) throws IOException {
        var sent = new byte[lengthBytes];
        new Random(7).nextBytes(sent);
        socket.getOutputStream().write(sent);
        socket.shutdownOutput();
        assertArrayEquals(sent, socket.getInputStream().readNBytes(lengthBytes + 1));
    }

    static void assertAnswers(Socket socket) throws IOException {
        socket.getOutputStream().write(new byte[] {1, 2, 3});
        assertArrayEquals(new byte[] {1, 2, 3}, socket.getInputStream().readNBytes(3));
    }
}
