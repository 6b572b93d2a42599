package io.millrace.testing;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;

/// A name server (RFC 1035) over TCP for which every name is 127.0.0.1, and has nothing else.
final class LoopbackNames implements AutoCloseable {
    private static final int HEADER = 12;
    private static final int ADDRESS = 1;

    private final ServerSocket socket;

    LoopbackNames() throws IOException {
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("loopback-names").start(this::run);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void run() {
        try {
            while (true) {
                var client = socket.accept();
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (IOException _) {
            // closed
        }
    }

    private static void serve(Socket client) {
        try (client;
                var in = new DataInputStream(client.getInputStream())) {
            while (true) {
                var question = new byte[in.readUnsignedShort()];
                in.readFully(question);
                client.getOutputStream().write(answer(question));
            }
        } catch (IOException _) {
            // The client has ended.
        }
    }

    /// With its length in front.
    private static byte[] answer(byte[] question) {
        int end = HEADER;
        while (question[end] != 0) end += 1 + question[end];
        boolean isKnown = question[end + 1] == 0 && question[end + 2] == ADDRESS;
        end += 5;
        var out = ByteBuffer.allocate(end + 18);
        out.putShort((short) (end + (isKnown ? 16 : 0)));
        out.put(question, 0, 2).putShort((short) 0x8180).putShort((short) 1).putShort((short) (isKnown ? 1 : 0));
        out.putInt(0).put(question, HEADER, end - HEADER);
        if (isKnown) {
            // The name of the question, an address of the internet, for a minute, four bytes.
            out.putShort((short) 0xc00c).putShort((short) ADDRESS).putShort((short) 1);
            out.putInt(60).putShort((short) 4).put(new byte[] {127, 0, 0, 1});
        }
        var bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException _) {
            // It ends with the process.
        }
    }
}
