package io.millrace.sim;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.Tcp;
import io.millrace.net.BlockingConnection;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.KeyFactory;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// TLS over whatever the network does. The same seed has the same events each time where signatures have one length,
/// as those of Ed25519 and RSA do; the bytes are others, because the engine signs with secrets that nobody can put a
/// seed into. Signatures of ECDSA differ in length, and then the network differs, too.
@Tag("simulation")
class TlsSeedsTest {
    private static final TlsIdentity IDENTITY = TlsIdentity.selfSigned("localhost");
    private static final TlsServer SERVER = Tls.server(IDENTITY);
    private static final TlsClient CLIENT = Tls.client("localhost").trusting(IDENTITY.chain());

    /// For Ed25519, until the year 2126.
    private static final String STEADY_KEY = "MC4CAQAwBQYDK2VwBCIEIPsQfdHdKP568OQBs3BOYmP5g7cGsX2cxeKDRHG7jxYL";

    private static final String STEADY_CERTIFICATE = """
            -----BEGIN CERTIFICATE-----
            MIIBVTCCAQegAwIBAgIURQSiT3sf5cpy3CkTHurWi1ilCaEwBQYDK2VwMBQxEjAQ
            BgNVBAMMCWxvY2FsaG9zdDAgFw0yNjExMjQxMTMyMTdaGA8yMTI2MTAzMTExMzIx
            N1owFDESMBAGA1UEAwwJbG9jYWxob3N0MCowBQYDK2VwAyEA3usY4x0nvpXS9lD0
            XHFp8YevDiL17LskehX/Fr+/k4+jaTBnMB0GA1UdDgQWBBQQQxnnnQxttfZ0pWrv
            gywUTNFmzzAfBgNVHSMEGDAWgBQQQxnnnQxttfZ0pWrvgywUTNFmzzAPBgNVHRMB
            Af8EBTADAQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAFBgMrZXADQQCbcuCg36oK
            KTrfVM60SY4HeX9/emPNf//3B7yAZSLjXLF79qYUKsD6xOogAytdEFTHKVbi1Y8M
            myv5DfC32YEP
            -----END CERTIFICATE-----
            """;

    @Test
    void the_same_seed_has_the_same_events() throws Exception {
        var runs = new HashSet<Long>();
        for (long seed = 1; seed <= 10; seed++) {
            long fingerprint = everything(seed);
            assertEquals(fingerprint, everything(seed));
            runs.add(fingerprint);
        }
        assertEquals(10, runs.size());
    }

    /// Whole handshakes and resumed ones, and connections that break.
    private static long everything(long seed) throws Exception {
        var steady = steady();
        var client = Tls.client("localhost").trusting(steady.chain());
        var network = new Simulation(seed).resets(0.2);
        try (network) {
            Tcp.listen(network.on(7).through(Tls.server(steady)), EchoSeedsTest.ECHO);
            for (int i = 0; i < 4; i++) {
                var words = network.randomBytes(1 + network.random(20_000));
                Tcp.connect(network.to(7).through(client), conn -> {
                    conn.output().write(words, 0, words.length);
                    return in -> in.skip(in.remaining());
                });
                network.advance(Duration.ofMillis(network.random(50)));
            }
            network.run();
            network.advance(Duration.ofSeconds(1));
        }
        return network.fingerprint();
    }

    private static TlsIdentity steady() throws Exception {
        var key = KeyFactory.getInstance("Ed25519")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(STEADY_KEY)));
        var certificate = CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(STEADY_CERTIFICATE.getBytes(US_ASCII)));
        return TlsIdentity.of(key, List.of((X509Certificate) certificate));
    }

    @Test
    void handlers_echo_what_clients_say() {
        Simulation.forEachSeed(100, network -> {
            var dispatch = List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2));
            Tcp.listen(network.on(7).through(SERVER).dispatch(dispatch.get(network.random(3))), EchoSeedsTest.ECHO);
            assertEchoed(network);
        });
    }

    @Test
    void sessions_echo_what_clients_say() {
        Simulation.forEachSeed(100, network -> {
            Tcp.serve(network.on(7).through(SERVER), EchoSeedsTest.DIRECT_ECHO);
            assertEchoed(network);
        });
    }

    /// One byte a packet, both ways, at every moment of a handshake and of a talk.
    @Test
    void bytes_may_come_one_by_one() {
        Simulation.forEachSeed(5, network -> {
            network.chunks(1, 1);
            Tcp.listen(network.on(7).through(SERVER), EchoSeedsTest.ECHO);
            assertEchoed(network);
        });
    }

    /// What looks at the name passes on every byte, however it comes.
    @Test
    void what_is_passed_on_is_as_it_came() {
        Simulation.forEachSeed(20, network -> {
            if (network.random(4) == 0) network.chunks(1, 1);
            Tcp.listen(network.on(7).through(Tls.passing()).through(SERVER), EchoSeedsTest.ECHO);
            assertEchoed(network);
        });
    }

    private static void assertEchoed(Simulation network) {
        var clients = Watched.handlers(conn -> {
            var words = network.randomBytes(1 + network.random(40_000));
            var heard = new ByteArrayOutputStream();
            conn.output().write(words, 0, words.length);
            return in -> {
                heard.writeBytes(in.readBytes(in.remaining()).toArray());
                if (heard.size() < words.length) return;
                assertArrayEquals(words, heard.toByteArray());
                conn.close();
            };
        });
        int count = 1 + network.random(3);
        for (int i = 0; i < count; i++) Tcp.connect(network.to(7).through(CLIENT), clients);
        network.run();
        network.advance(Duration.ofSeconds(2));
        assertEquals(Collections.nCopies(count, Watched.ORDERLY), clients.ends);
        assertNothingIsOpen(network);
    }

    private static void assertNothingIsOpen(Simulation network) {
        assertTrue(network.loops().counters().stream().allMatch(loop -> loop.connections() == 0));
    }

    /// What arrives is the beginning of what was said, and an end is told apart from a cut.
    @Test
    void connections_may_break_at_any_moment() {
        Simulation.forEachSeed(100, network -> {
            network.resets(0.5);
            var words = network.randomBytes(1 + network.random(60_000));
            Tcp.serve(network.on(7).through(SERVER), conn -> conn.output().write(words, 0, words.length));
            Tcp.serve(network.on(8), proxy -> {
                var heard = new ByteArrayOutputStream();
                boolean isWhole = false;
                try (var conn = Tcp.connect(network.to(7).through(CLIENT))) {
                    while (conn.read()) take(conn, heard);
                    take(conn, heard);
                    isWhole = true;
                } catch (IOException _) {
                    // broken, as it may be
                }
                assertArrayEquals(Arrays.copyOf(words, heard.size()), heard.toByteArray());
                if (isWhole) assertEquals(words.length, heard.size());
            });
            var talks = new ArrayList<Peer>();
            for (int i = 0; i < 3; i++) talks.add(network.connect(8));
            network.run();
            talks.forEach(Peer::end);
            network.run();
            network.advance(Duration.ofSeconds(90));
            assertNothingIsOpen(network);
        });
    }

    private static void take(BlockingConnection conn, ByteArrayOutputStream heard) {
        heard.writeBytes(conn.input().readBytes(conn.input().remaining()).toArray());
    }

    /// By the default, in virtual time.
    @Test
    void who_says_nothing_has_ten_seconds() {
        Simulation.forEachSeed(20, network -> {
            var server = Tcp.listen(network.on(7).through(SERVER), EchoSeedsTest.ECHO);
            for (int i = 0; i < 10; i++) network.connect(7);
            network.advance(Duration.ofSeconds(9));
            assertEquals(10, server.connections());
            network.advance(Duration.ofSeconds(2));
            assertEquals(0, server.connections());
        });
    }
}
