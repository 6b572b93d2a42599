package io.millrace.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// A client's connection, with plain sockets, so that nothing is repeated or hidden. One thread.
final class DayConnection implements AutoCloseable {
    static final String HOST = "www.example.org";

    /// Longer than a restart takes on a machine that has much else to do.
    private static final int PATIENCE_MILLIS = 120_000;

    private final Socket socket;
    private final InputStream in;

    /// Whether the server may close it before the next request comes: an answer has come.
    boolean isUsed;

    /// Whether the server takes another request.
    boolean isKept = true;

    /// A byte of the last answer has come.
    private boolean hasBegun;

    /// @param fields by their names in lower case
    @SuppressWarnings("ArrayRecordComponent") // nobody changes it
    record Answer(int status, Map<String, String> fields, byte[] body) {}

    private DayConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), 16 << 10);
    }

    /// @param tls null for a connection in the clear
    static DayConnection open(int port, @Nullable SSLContext tls) throws IOException {
        var socket = new Socket();
        try {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
            return new DayConnection(tls == null ? socket : secured(socket, port, tls));
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket secured(Socket plain, int port, SSLContext tls) throws IOException {
        var secure = (SSLSocket) tls.getSocketFactory().createSocket(plain, HOST, port, true);
        secure.startHandshake();
        return secure;
    }

    /// Whether a request that failed may be sent again on another connection (RFC 9112 section 9.3.1): the server
    /// had closed this one, as far as the client can know.
    boolean mayBeAskedElsewhere() {
        return isUsed && !hasBegun;
    }

    Answer ask(String method, String path, byte[] body) throws IOException {
        return ask(method, path, HOST, body);
    }

    Answer ask(String method, String path, String host, byte[] body) throws IOException {
        hasBegun = false;
        var head = method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n"
                + (method.equals("PUT") ? "Content-Length: " + body.length + "\r\n" : "") + "\r\n";
        var request = new ByteArrayOutputStream(head.length() + body.length);
        request.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(body);
        socket.getOutputStream().write(request.toByteArray());
        return answer();
    }

    private Answer answer() throws IOException {
        var status = line();
        var fields = new TreeMap<String, String>();
        for (var field = line(); !field.isEmpty(); field = line()) {
            int colon = field.indexOf(':');
            if (colon < 0) throw new IOException("a field without a colon: " + field);
            fields.put(
                    field.substring(0, colon).toLowerCase(Locale.ROOT),
                    field.substring(colon + 1).strip());
        }
        var body = fields.getOrDefault("transfer-encoding", "").equals("chunked")
                ? chunks()
                : exactly(Integer.parseInt(fields.getOrDefault("content-length", "0")));
        isUsed = true;
        isKept = !fields.getOrDefault("connection", "").equalsIgnoreCase("close");
        return new Answer(Integer.parseInt(status.split(" ", -1)[1]), fields, body);
    }

    private byte[] chunks() throws IOException {
        var all = new ByteArrayOutputStream();
        for (int size = chunkSize(); size > 0; size = chunkSize()) {
            all.writeBytes(exactly(size));
            if (!line().isEmpty()) throw new IOException("no end of a chunk");
        }
        while (!line().isEmpty()) {
            // Trailers, of which there are none here.
        }
        return all.toByteArray();
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    private byte[] exactly(int length) throws IOException {
        var bytes = in.readNBytes(length);
        if (bytes.length < length) throw new EOFException("after " + bytes.length + " of " + length + " bytes");
        return bytes;
    }

    private String line() throws IOException {
        var text = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) throw new EOFException("instead of an answer, behind '" + text + "'");
            hasBegun = true;
            if (c != '\r') text.append((char) c);
        }
        return text.toString();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException _) {
            // It is over anyway.
        }
    }
}
