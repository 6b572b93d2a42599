package io.millrace.tls;

import io.millrace.loop.Preparations;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;

/// The first handshake of the process, between two engines in memory. It loads some hundred classes, and makes the
/// JDK look through its security providers: of a client it would keep a loop for a part of a second.
final class FirstHandshake {
    private static final AtomicBoolean HAS_BEGUN = new AtomicBoolean();

    /// More flights than a handshake has.
    private static final int MOST_FLIGHTS = 20;

    private final ByteBuffer nothing = ByteBuffer.allocate(0);
    private final SSLEngine client;
    private final SSLEngine server;
    private final ByteBuffer toServer;
    private final ByteBuffer toClient;
    private final ByteBuffer plain;

    private FirstHandshake(TlsIdentity identity) {
        this.client = engine(
                Contexts.of(Optional.empty(), new TrustManager[] {new TlsClient.Credulous()})
                        .createSSLEngine("localhost", 443),
                true);
        this.server = engine(Contexts.server(identity, List.of()).createSSLEngine(), false);
        int bytes = client.getSession().getPacketBufferSize();
        this.toServer = ByteBuffer.allocate(bytes);
        this.toClient = ByteBuffer.allocate(bytes);
        this.plain = ByteBuffer.allocate(client.getSession().getApplicationBufferSize());
    }

    private static SSLEngine engine(SSLEngine engine, boolean isClient) {
        engine.setUseClientMode(isClient);
        engine.setSSLParameters(Suites.parameters(engine.getSupportedCipherSuites(), List.of("http/1.1")));
        return engine;
    }

    /// Begins it if it is the first, with a server's identity.
    static void begin(TlsIdentity identity) {
        if (HAS_BEGUN.get() || HAS_BEGUN.getAndSet(true)) return;
        Preparations.begin("millrace-tls", () -> {
            try {
                new FirstHandshake(identity).shake();
            } catch (SSLException | RuntimeException _) {
                // Whoever connects learns what is wrong.
            }
        });
    }

    private void shake() throws SSLException {
        client.beginHandshake();
        server.beginHandshake();
        for (int i = 0; i < MOST_FLIGHTS; i++) {
            send(client, toServer, server);
            send(server, toClient, client);
        }
    }

    /// Sends what one has to say, or a record without data if that is nothing.
    private void send(SSLEngine from, ByteBuffer wire, SSLEngine to) throws SSLException {
        compute(from);
        if (from.getHandshakeStatus() == HandshakeStatus.NEED_UNWRAP) return;
        from.wrap(nothing, wire);
        wire.flip();
        while (wire.hasRemaining()) {
            plain.clear();
            if (to.unwrap(wire, plain).bytesConsumed() == 0) break;
            compute(to);
        }
        wire.compact();
    }

    private static void compute(SSLEngine engine) {
        for (var task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) task.run();
    }
}
