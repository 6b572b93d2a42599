package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;

/// A blocking client that checks every byte it gets back. Byte number n of a connection is a function of n, so that a
/// lost, doubled or displaced byte shows.
final class EchoClient implements AutoCloseable {
    private static final int ANSWER_WITHIN_MILLIS = 20_000;

    private final Socket socket;
    private long sentBytes;
    private long receivedBytes;

    EchoClient(int port) throws IOException {
        this(InetAddress.getLoopbackAddress(), port);
    }

    EchoClient(InetAddress host, int port) throws IOException {
        this(host, port, new Socket());
    }

    /// A client whose receive buffer stays near 16 KiB.
    static EchoClient withLittleRoom(int port) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(16 * 1024);
        return new EchoClient(InetAddress.getLoopbackAddress(), port, socket);
    }

    /// Sends what the kernel takes at once, reads nothing and resets the connection.
    static void vanishInTheMiddle(int port) throws IOException {
        try (var channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.configureBlocking(false);
            var bytes = ByteBuffer.allocate(100 * 1024);
            while (bytes.hasRemaining() && channel.write(bytes) > 0) {}
        }
    }

    private EchoClient(InetAddress host, int port, Socket socket) throws IOException {
        this.socket = socket;
        socket.connect(new InetSocketAddress(host, port));
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(ANSWER_WITHIN_MILLIS);
    }

    void exchange(int lengthBytes) throws IOException {
        send(lengthBytes);
        receive(lengthBytes);
    }

    /// Sends all messages from another thread while this one receives.
    void pipeline(int lengthBytes, int messages) throws Exception {
        var sending = sendInBackground(lengthBytes, messages);
        receive((long) lengthBytes * messages);
        sending.get();
    }

    private CompletableFuture<Void> sendInBackground(int lengthBytes, int messages) {
        return CompletableFuture.runAsync(() -> {
            try {
                for (int i = 0; i < messages; i++) {
                    send(lengthBytes);
                }
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
    }

    private void send(int lengthBytes) throws IOException {
        byte[] message = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            message[i] = byteAt(sentBytes + i);
        }
        OutputStream out = socket.getOutputStream();
        out.write(message);
        sentBytes += lengthBytes;
    }

    private void receive(long lengthBytes) throws IOException {
        byte[] buffer = new byte[64 * 1024];
        for (long left = lengthBytes; left > 0; ) {
            int count = socket.getInputStream().read(buffer, 0, (int) Math.min(buffer.length, left));
            if (count < 0) {
                throw new IOException("the connection ended " + left + " bytes too early");
            }
            check(buffer, count);
            left -= count;
        }
    }

    private void check(byte[] buffer, int count) {
        for (int i = 0; i < count; i++) {
            if (buffer[i] != byteAt(receivedBytes + i)) {
                assertEquals(byteAt(receivedBytes + i), buffer[i], "byte number " + (receivedBytes + i));
            }
        }
        receivedBytes += count;
    }

    private static byte byteAt(long position) {
        return (byte) (position * 31 + (position >> 8) * 17 + (position >> 16));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
