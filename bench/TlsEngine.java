import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * What the JDK's TLS engine costs a server by itself: client and server in one thread, heap arrays between them, no
 * sockets. TLS 1.3, TLS_AES_128_GCM_SHA256. Only the CPU time of the server's calls is counted.
 *
 * <p>Reads lines from standard input and answers each with a number, microseconds of CPU:
 * {@code handshakes SECONDS} of a whole handshake with a small request, a small response and the close;
 * {@code records SECONDS} of a record of 16 KiB decrypted and one encrypted, in turn on eight connections.
 *
 * <p>{@code java bench/TlsEngine.java IDENTITY.p12 PASSWORD}
 */
public final class TlsEngine {
    private static final int CONNECTIONS = 8;
    private static final byte[] SMALL = new byte[128];

    private final SSLContext server;
    private final SSLContext client;
    private final ByteBuffer toServer = ByteBuffer.allocate(1 << 16);
    private final ByteBuffer toClient = ByteBuffer.allocate(1 << 16);
    private final ByteBuffer plain = ByteBuffer.allocate(1 << 15);
    private long serverNanos;

    private TlsEngine(SSLContext server, SSLContext client) {
        this.server = server;
        this.client = client;
    }

    public static void main(String[] arguments) throws Exception {
        var password = arguments[1].toCharArray();
        var store = KeyStore.getInstance(new File(arguments[0]), password);
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        var server = SSLContext.getInstance("TLS");
        server.init(keys.getKeyManagers(), null, null);
        var client = SSLContext.getInstance("TLS");
        client.init(null, new TrustManager[] {new Anybody()}, null);
        var engine = new TlsEngine(server, client);
        var orders = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = orders.readLine()) != null; ) {
            var words = line.split(" ");
            double seconds = Double.parseDouble(words[1]);
            System.out.println(words[0].equals("records") ? engine.records(seconds) : engine.handshakes(seconds));
        }
    }

    private static SSLEngine engine(SSLContext context, boolean isClient) throws Exception {
        var engine = context.createSSLEngine();
        engine.setUseClientMode(isClient);
        engine.setEnabledProtocols(new String[] {"TLSv1.3"});
        engine.setEnabledCipherSuites(new String[] {"TLS_AES_128_GCM_SHA256"});
        var parameters = engine.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"http/1.1"});
        engine.setSSLParameters(parameters);
        engine.beginHandshake();
        return engine;
    }

    private double handshakes(double seconds) throws Exception {
        long count = 0;
        serverNanos = 0;
        long untilNanos = System.nanoTime() + (long) (seconds * 1e9);
        for (; System.nanoTime() < untilNanos; count++) handshake(true);
        return serverNanos / 1e3 / count;
    }

    private double records(double seconds) throws Exception {
        var connections = new Connection[CONNECTIONS];
        for (int i = 0; i < CONNECTIONS; i++) connections[i] = new Connection(handshake(false));
        serverNanos = 0;
        long count = 0;
        long untilNanos = System.nanoTime() + (long) (seconds * 1e9);
        for (; System.nanoTime() < untilNanos; count += CONNECTIONS) {
            for (var connection : connections) connection.ask();
            long from = cpuNanos();
            for (var connection : connections) connection.answer();
            serverNanos += cpuNanos() - from;
            for (var connection : connections) connection.hear();
        }
        return serverNanos / 1e3 / count;
    }

    /** One of several, each with a record of 16 KiB under way. */
    private final class Connection {
        private final SSLEngine asking;
        private final SSLEngine serving;
        private final ByteBuffer there = ByteBuffer.allocate(17_000);
        private final ByteBuffer back = ByteBuffer.allocate(17_000);
        private final ByteBuffer large = ByteBuffer.wrap(new byte[16 << 10]);

        Connection(SSLEngine[] pair) {
            asking = pair[0];
            serving = pair[1];
        }

        void ask() throws Exception {
            asking.wrap(large.rewind(), there.clear());
            there.flip();
        }

        void answer() throws Exception {
            serving.unwrap(there, plain.clear());
            serving.wrap(plain.flip(), back.clear());
        }

        void hear() throws Exception {
            asking.unwrap(back.flip(), plain.clear());
        }
    }

    /** Client and server, and a small request and its response; then both close, if they shall. */
    private SSLEngine[] handshake(boolean closes) throws Exception {
        var asking = engine(client, true);
        long from = cpuNanos();
        var serving = engine(server, false);
        serverNanos += cpuNanos() - from;
        toServer.clear();
        toClient.clear();
        boolean isDone = false;
        while (!isDone) {
            step(asking, toClient, toServer);
            from = cpuNanos();
            step(serving, toServer, toClient);
            serverNanos += cpuNanos() - from;
            isDone = isOver(asking) && isOver(serving);
        }
        pass(asking, serving, toServer, false);
        pass(serving, asking, toClient, true);
        if (!closes) return new SSLEngine[] {asking, serving};
        from = cpuNanos();
        serving.closeOutbound();
        serving.wrap(ByteBuffer.allocate(0), toClient);
        serverNanos += cpuNanos() - from;
        return new SSLEngine[0];
    }

    private void pass(SSLEngine sender, SSLEngine receiver, ByteBuffer wire, boolean isServerFirst) throws Exception {
        long from = cpuNanos();
        sender.wrap(ByteBuffer.wrap(SMALL), wire);
        long sent = cpuNanos();
        wire.flip();
        while (wire.hasRemaining()) receiver.unwrap(wire, plain.clear());
        wire.clear();
        serverNanos += isServerFirst ? sent - from : cpuNanos() - sent;
    }

    private static boolean isOver(SSLEngine engine) {
        return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
    }

    /** As far as it goes with what there is. */
    private void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws Exception {
        in.flip();
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> engine.getDelegatedTask().run();
                case NEED_WRAP -> engine.wrap(ByteBuffer.allocate(0), out);
                default -> {
                    if (!in.hasRemaining()) {
                        in.clear();
                        return;
                    }
                    engine.unwrap(in, plain.clear());
                }
            }
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
