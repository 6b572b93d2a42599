package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

/// The client that judges the peers would notice.
class EchoClientTest {
    @Test
    void notices_one_wrong_byte() throws Exception {
        try (var server = serverThatChanges(700);
                var client = new EchoClient(server.getLocalPort())) {
            client.exchange(700);
            var wrong = assertThrows(AssertionError.class, () -> client.exchange(1));
            assertTrue(wrong.toString().contains("byte number 700"), wrong.toString());
        }
    }

    @Test
    void accepts_the_bytes_it_sent() throws Exception {
        try (var server = serverThatChanges(Integer.MAX_VALUE);
                var client = new EchoClient(server.getLocalPort())) {
            client.pipeline(1000, 100);
        }
    }

    /// An echo server for one connection.
    private static ServerSocket serverThatChanges(int byteNumber) throws IOException {
        var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try (Socket socket = server.accept()) {
                int position = 0;
                for (int read = socket.getInputStream().read();
                        read >= 0;
                        read = socket.getInputStream().read()) {
                    socket.getOutputStream().write(position++ == byteNumber ? read ^ 1 : read);
                }
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
        return server;
    }
}
