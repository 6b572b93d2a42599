package io.millrace.http.door;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.bytes.Bytes;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Security;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/// A server of tests over TLS that agrees on HTTP/2, and refuses each request there, because it takes them only in
/// HTTP/1.1 (RFC 9113 section 7). There it answers with the first line of the request, and its body.
public final class RequiringHttp1 implements AutoCloseable {
    private static final TlsIdentity IDENTITY = TlsIdentity.selfSigned("localhost");

    private static final int HEADER_BYTES = 9;
    private static final int PREFACE_BYTES = 24;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int GOODBYE = 7;
    private static final int ENABLE_CONNECT = 8;
    private static final int HTTP_1_1_REQUIRED = 13;

    /// How it refuses a request in HTTP/2.
    public enum Refusal {
        /// When it has the head.
        RESET,
        /// When it has some of the body.
        RESET_IN_BODY,
        /// With the connection, of which it has processed nothing.
        GOODBYE
    }

    /// Whether it announces extended CONNECT (RFC 8441), to refuse that, too.
    public enum Announced {
        NOTHING,
        CHANGES
    }

    private final Server server;
    private final Refusal refusal;
    private final Announced announced;
    private final UnaryOperator<String> upgrade;

    /// What each connection has agreed on.
    public final List<String> agreed = new CopyOnWriteArrayList<>();

    private RequiringHttp1(EventLoops loops, Refusal refusal, Announced announced, UnaryOperator<String> upgrade) {
        this.refusal = refusal;
        this.announced = announced;
        this.upgrade = upgrade;
        var listen = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops)
                .through(Tls.server(IDENTITY).speaking("h2", "http/1.1"));
        this.server = Tcp.serve(listen, this::serve);
    }

    public static RequiringHttp1 start(EventLoops loops, Refusal refusal) {
        return new RequiringHttp1(loops, refusal, Announced.NOTHING, head -> head);
    }

    /// One that changes its protocol in HTTP/1.1, and sends back what comes.
    ///
    /// @param answer makes the head that agrees from the request's
    public static RequiringHttp1 changing(EventLoops loops, Announced announced, UnaryOperator<String> answer) {
        return new RequiringHttp1(loops, Refusal.RESET, announced, answer);
    }

    public static TlsClient trusting() {
        return Tls.client().trusting(IDENTITY.chain());
    }

    public String url() {
        return "https://localhost:" + server.port();
    }

    private void serve(BlockingConnection connection) throws IOException {
        var protocol =
                connection.security().flatMap(Security::applicationProtocol).orElse("");
        agreed.add(protocol);
        if (protocol.equals("h2")) refuse(connection);
        else answer(connection);
    }

    private void refuse(BlockingConnection connection) throws IOException {
        if (!has(connection, PREFACE_BYTES)) return;
        connection.input().skip(PREFACE_BYTES);
        if (announced == Announced.NOTHING) frame(connection, SETTINGS, 0);
        else frame(connection, SETTINGS, 0, 0, ENABLE_CONNECT, 0, 0, 0, 1);
        int awaited = refusal == Refusal.RESET_IN_BODY ? DATA : HEADERS;
        while (has(connection, HEADER_BYTES)) {
            var in = connection.input();
            int word = in.readInt();
            int type = word & 0xff;
            in.skip(1);
            int stream = in.readInt();
            if (!has(connection, word >>> 8)) return;
            connection.input().skip(word >>> 8);
            if (type != awaited) continue;
            if (refusal == Refusal.GOODBYE) frame(connection, GOODBYE, 0, 0, 0, 0, 0, 0, 0, 0, HTTP_1_1_REQUIRED);
            else frame(connection, RESET, stream, 0, 0, 0, HTTP_1_1_REQUIRED);
        }
    }

    private static void frame(BlockingConnection connection, int type, int stream, int... payload) throws IOException {
        var out = connection.output();
        out.writeInt(payload.length << 8 | type).writeByte(0).writeInt(stream);
        for (int one : payload) out.writeByte(one);
        connection.flush();
    }

    private void answer(BlockingConnection connection) throws IOException {
        while (has(connection, 1)) {
            var head = head(connection);
            if (head.contains("Upgrade: ")) {
                change(connection, upgrade.apply(head));
                return;
            }
            int length = head.lines()
                    .filter(line -> line.startsWith("Content-Length: "))
                    .mapToInt(line -> Integer.parseInt(line.substring(16)))
                    .findFirst()
                    .orElse(0);
            var line = head.lines().findFirst().orElse("") + "\n";
            var answer = "HTTP/1.1 200 OK\r\nContent-Length: " + (line.length() + length) + "\r\n\r\n";
            connection.output().writeUtf8(answer + line);
            for (long left = length; left > 0 && has(connection, 1); ) {
                long part = Math.min(left, connection.input().remaining());
                connection.output().move(connection.input(), part);
                connection.flush();
                left -= part;
            }
            connection.flush();
        }
    }

    private static void change(BlockingConnection connection, String answer) throws IOException {
        connection.output().writeUtf8(answer);
        connection.flush();
        while (connection.read()) {
            connection.output().move(connection.input());
            connection.flush();
        }
    }

    private static String head(BlockingConnection connection) throws IOException {
        var end = Bytes.utf8("\r\n\r\n");
        while (connection.input().indexOf(end, 0) < 0 && connection.read()) {}
        var bytes = connection.input().readBytes(connection.input().indexOf(end, 0) + end.length());
        return new String(bytes.toArray(), ISO_8859_1);
    }

    /// Whether so many bytes are there, or come.
    private static boolean has(BlockingConnection connection, int length) throws IOException {
        while (connection.input().remaining() < length) if (!connection.read()) return false;
        return true;
    }

    @Override
    public void close() {
        server.close();
    }
}
