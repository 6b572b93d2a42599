package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpVersion;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Security;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A backend over TLS that speaks HTTP/2, and does not announce WebSocket in it (RFC 8441 section 3), gets a connection
/// of HTTP/1.1 for it.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeFallbackTest {
    private static final TlsIdentity IDENTITY = TlsIdentity.selfSigned("localhost");

    /// SETTINGS without any.
    private static final byte[] NO_SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};

    private final List<String> agreed = new CopyOnWriteArrayList<>();

    private Server backend(EventLoops loops) {
        var listen = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops)
                .through(Tls.server(IDENTITY).speaking("h2", "http/1.1"));
        return Tcp.serve(listen, this::serve);
    }

    private void serve(BlockingConnection connection) throws IOException {
        var protocol =
                connection.security().flatMap(Security::applicationProtocol).orElse("");
        agreed.add(protocol);
        if (protocol.equals("h2")) {
            connection.write(Bytes.of(NO_SETTINGS));
            while (connection.read()) connection.input().skip(connection.input().remaining());
            return;
        }
        var head = head(connection);
        connection.output().writeUtf8(RawHandshake.agreeing(head.lines().toList()));
        connection.flush();
        while (connection.read()) {
            connection.output().move(connection.input());
            connection.flush();
        }
    }

    private static String head(BlockingConnection connection) throws IOException {
        var head = new ByteArrayOutputStream();
        while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n") && connection.read())
            while (!connection.input().isEmpty()) head.write(connection.input().readByte());
        return head.toString(ISO_8859_1);
    }

    @ParameterizedTest
    @EnumSource
    void it_is_asked_in_HTTP_1_and_the_next_one_at_once(Proxying.Kind kind) throws Exception {
        try (var loops = EventLoops.configure().threads(1).start();
                var backend = backend(loops);
                var proxy = kind.to(
                        upstream -> upstream.version(HttpVersion.NEGOTIATED)
                                .tls(Tls.client().trusting(IDENTITY.chain())),
                        "http://localhost:" + backend.port())) {
            assertEchoes(proxy);
            assertEquals(List.of("h2", "http/1.1"), agreed);
            assertEchoes(proxy);
        }
    }

    private static void assertEchoes(Proxying proxy) throws IOException {
        try (var client = proxy.connect()) {
            assertEquals(101, client.send(RawHandshake.ASKING).read().status());
            client.send("words").socket().shutdownOutput();
            assertEquals("words", new String(client.readAll(), ISO_8859_1));
        }
    }
}
