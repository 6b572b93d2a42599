package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A client that is none of ours: a plain socket, and as much of HTTP as it takes to read responses.
public final class RawClient implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;

    /// A response.
    ///
    /// @param lines of its head, without line ends
    @SuppressWarnings("ArrayRecordComponent") // it is looked at and forgotten
    public record Reply(List<String> lines, byte[] body, List<String> trailers) {
        public int status() {
            return Integer.parseInt(lines.getFirst().substring(9, 12));
        }

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        /// The values of a field, one behind the other.
        public String header(String name) {
            var values = new ArrayList<String>();
            for (var line : lines.subList(1, lines.size())) {
                if (line.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
                    values.add(line.substring(name.length() + 1).strip());
                }
            }
            return String.join(", ", values);
        }
    }

    public RawClient(int port) throws IOException {
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        // A test that waits for ever should rather fail.
        socket.setSoTimeout(PATIENCE_MILLIS);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    public RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /// Sends on a thread of its own, for what is more than the other side takes before it answers.
    RawClient sendMeanwhile(byte[] bytes) {
        Thread.ofVirtual().start(() -> {
            try {
                send(bytes);
            } catch (IOException _) {
                // The answer tells.
            }
        });
        return this;
    }

    public RawClient get(String target) throws IOException {
        return send("GET " + target + " HTTP/1.1\r\nHost: a.test\r\n\r\n");
    }

    /// The head of a response behind which no message follows.
    public Reply readHead() throws IOException {
        return read(false);
    }

    public Reply read() throws IOException {
        return read(true);
    }

    /// The next response, interim ones included.
    ///
    /// @param hasBody false for the response to HEAD
    Reply read(boolean hasBody) throws IOException {
        return read(in, hasBody);
    }

    /// The next response that is no interim one, from a backend that says in `X-Method` what it was asked.
    Reply readFinal() throws IOException {
        while (true) {
            var reply = read();
            if (reply.status() >= 200) return reply;
        }
    }

    private static Reply read(InputStream in, boolean mayHaveBody) throws IOException {
        var lines = lines(in);
        var head = new Reply(lines, new byte[0], List.of());
        boolean hasBody = mayHaveBody && !head.header("x-method").equals("HEAD");
        boolean isWithout = !hasBody || head.status() < 200 || head.status() == 204 || head.status() == 304;
        if (isWithout) return head;
        if (head.header("transfer-encoding").equals("chunked")) return chunks(in, lines);
        if (head.header("content-length").isEmpty()) return new Reply(lines, in.readAllBytes(), List.of());
        // Nobody says of a refusal whether it answers HEAD: what follows is the end then.
        boolean isRefusal = head.status() >= 400 && head.header("connection").equals("close");
        if (isRefusal) return new Reply(lines, in.readAllBytes(), List.of());
        return new Reply(lines, exactly(in, Integer.parseInt(head.header("content-length"))), List.of());
    }

    static Reply chunks(InputStream in, List<String> lines) throws IOException {
        var body = new ByteArrayOutputStream();
        while (true) {
            int length = Integer.parseInt(line(in), 16);
            if (length == 0) return new Reply(lines, body.toByteArray(), lines(in));
            body.writeBytes(exactly(in, length));
            assertEquals("", line(in), "what follows a chunk");
        }
    }

    public static byte[] exactly(InputStream in, int length) throws IOException {
        var bytes = in.readNBytes(length);
        if (bytes.length < length) throw new EOFException("after " + bytes.length + " of " + length);
        return bytes;
    }

    /// Up to an empty one.
    public static List<String> lines(InputStream in) throws IOException {
        var lines = new ArrayList<String>();
        for (var line = line(in); !line.isEmpty(); line = line(in)) lines.add(line);
        return lines;
    }

    public static String line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) throw new EOFException("after '" + line + "'");
            if (b != '\r') line.write(b);
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    byte[] exactly(int length) throws IOException {
        return exactly(in, length);
    }

    byte[] readAll() throws IOException {
        return in.readAllBytes();
    }

    public void assertEnd() throws IOException {
        assertEquals(-1, in.read());
    }

    /// What comes.
    public InputStream in() {
        return in;
    }

    Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
