package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/// A peer that is none of ours: a plain socket of `java.net`, which also does what well-behaved peers do not.
record RawPeer(Socket socket) implements AutoCloseable {
    private static final int SMALL_WINDOW = 64 << 10;

    static RawPeer of(Server server) throws IOException {
        return of(server.port());
    }

    static RawPeer of(int port) throws IOException {
        return connected(new Socket(), port);
    }

    /// A peer for whom the kernel keeps little, so that the other side soon has to wait.
    static RawPeer withSmallWindow(Server server) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(SMALL_WINDOW);
        return connected(socket, server.port());
    }

    private static RawPeer connected(Socket socket, int port) throws IOException {
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return new RawPeer(socket);
        } catch (SocketException e) {
            socket.close();
            if (!"Connection reset by peer".equals(e.getMessage())) throw e;
            return new RawPeer(new ResetSocket());
        }
    }

    /// One that was accepted and reset before its owner knew that it was connected: whoever uses it hears of that.
    private static final class ResetSocket extends Socket {
        @Override
        public InputStream getInputStream() throws IOException {
            throw reset();
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            throw reset();
        }

        @Override
        public void shutdownOutput() throws IOException {
            throw reset();
        }

        private static SocketException reset() {
            return new SocketException("Connection reset");
        }
    }

    RawPeer send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    RawPeer send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /// Sends until the other side stops to take it, or the connection is gone; by a thread of its own.
    Thread sendForEver() {
        return Thread.ofVirtual().start(() -> {
            var bytes = new byte[16 << 10];
            try {
                while (true) send(bytes);
            } catch (IOException _) {
                // gone, as it must be some time
            }
        });
    }

    /// Half-close.
    RawPeer end() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    /// Drops the connection: the other side sees a reset.
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    String read(int lengthBytes) throws IOException {
        return new String(socket.getInputStream().readNBytes(lengthBytes), StandardCharsets.UTF_8);
    }

    void assertReads(String expected) throws IOException {
        assertEquals(expected, read(expected.getBytes(StandardCharsets.UTF_8).length));
    }

    /// Everything until the other side's end.
    byte[] readAll() throws IOException {
        return socket.getInputStream().readAllBytes();
    }

    void assertEnd() throws IOException {
        assertEquals(-1, socket.getInputStream().read());
    }

    /// Reads until the other side resets the connection; fails when it ends in order.
    void assertReset() throws IOException {
        try {
            var rest = readAll();
            throw new AssertionError("the connection ended in order, after " + rest.length + " bytes");
        } catch (SocketException reset) {
            assertEquals("Connection reset", reset.getMessage());
        }
    }

    /// Reads the connection's end, in order or not, and nothing else.
    void assertGone() throws IOException {
        try {
            assertEnd();
        } catch (SocketException reset) {
            assertEquals("Connection reset", reset.getMessage());
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
