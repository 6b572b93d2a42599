package io.millrace.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// A backend of which the test accepts each connection itself.
final class PlainBackend implements AutoCloseable {
    private static final int SMALL_WINDOW = 64 << 10;
    private static final int PATIENCE_MILLIS = 20_000;

    private final ServerSocket listener;

    PlainBackend() throws IOException {
        listener = new ServerSocket();
        listener.setReceiveBufferSize(SMALL_WINDOW);
        listener.bind(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        listener.setSoTimeout(PATIENCE_MILLIS);
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    Socket accept() throws IOException {
        var socket = listener.accept();
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    static void send(Socket to, String text) throws IOException {
        to.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static String read(Socket from, int length) throws IOException {
        return new String(RawClient.exactly(from.getInputStream(), length), StandardCharsets.ISO_8859_1);
    }

    /// Everything until the other side's end.
    static String readAll(Socket from) throws IOException {
        return new String(from.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /// The other side sees a reset.
    static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    static void hangUp(Socket socket) throws IOException {
        socket.close();
    }

    /// Whom nobody has accepted is reset.
    void stop() throws IOException {
        listener.close();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
