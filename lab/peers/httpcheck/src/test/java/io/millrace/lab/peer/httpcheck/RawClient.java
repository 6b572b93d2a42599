package io.millrace.lab.peer.httpcheck;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/// A blocking socket that says what it is told, byte for byte.
final class RawClient implements AutoCloseable {
    private static final int ANSWER_WITHIN_MILLIS = 20_000;

    private final Socket socket = new Socket();
    private final InputStream in;

    RawClient(int port) throws IOException {
        this("127.0.0.1", port);
    }

    RawClient(String host, int port) throws IOException {
        socket.connect(new InetSocketAddress(InetAddress.ofLiteral(host), port));
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(ANSWER_WITHIN_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /// A request that would take a compressed answer, if there were one.
    static byte[] plaintext() {
        return "GET /plaintext HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n".getBytes(ISO_8859_1);
    }

    static byte[] echo(byte[] body) {
        String head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nContent-Type: text/plain\r\n"
                + "Content-Length: " + body.length + "\r\n\r\n";
        var request = new ByteArrayOutputStream();
        request.writeBytes(head.getBytes(ISO_8859_1));
        request.writeBytes(body);
        return request.toByteArray();
    }

    /// In one write.
    void send(byte[]... requests) throws IOException {
        var all = new ByteArrayOutputStream();
        for (byte[] request : requests) {
            all.writeBytes(request);
        }
        socket.getOutputStream().write(all.toByteArray());
    }

    Response receive() throws IOException {
        return Response.read(in);
    }

    /// Whether the server has nothing more to say and ends the connection.
    boolean isAtEnd() throws IOException {
        return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
