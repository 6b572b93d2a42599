package io.millrace.lab.peer.httpcheck;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every HTTP peer is a correct server, as far as the lab uses it. Each test starts the peer anew.
@ExtendWith(FailuresByName.class)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpPeersTest {
    private static final byte[] HELLO = "Hello, World!".getBytes(US_ASCII);
    private static final byte[] ONE_BYTE = {'x'};
    /// More than any count of idle connections that a framework has by default.
    private static final int MANY_CONNECTIONS = 300;

    /// `-Dpeer=REGEX` is about some of them only.
    private static Stream<HttpPeer> wanted() {
        String wanted = System.getProperty("peer", ".*");
        return HttpPeer.ALL.stream().filter(peer -> peer.name().matches(wanted));
    }

    static Stream<String> peers() {
        return wanted().map(HttpPeer::name);
    }

    static Stream<String> peersThatClose() {
        return wanted().filter(HttpPeer::isAbleToClose).map(HttpPeer::name);
    }

    static Stream<String> peersThatDoNotClose() {
        return wanted().filter(peer -> !peer.isAbleToClose()).map(HttpPeer::name);
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void answers_plaintext_with_all_its_fields(String name) throws Exception {
        try (var peer = RunningPeer.start(name);
                var client = new RawClient(peer.port())) {
            client.send(RawClient.plaintext());
            Response response = client.receive();
            assertPlaintext(response);
            assertTrue(
                    response.field("content-type").toLowerCase(Locale.ROOT).startsWith("text/plain"),
                    () -> response.fields().toString());
            assertEquals("13", response.field("content-length"));
            assertFalse(response.field("server").isEmpty());
            Instant date = ZonedDateTime.parse(response.field("date"), RFC_1123_DATE_TIME)
                    .toInstant();
            Duration off = Duration.between(date, Instant.now()).abs();
            assertTrue(off.toSeconds() <= 3, () -> "the date is off by " + off);
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void answers_one_request_after_the_other_on_one_connection(String name) throws Exception {
        try (var peer = RunningPeer.start(name);
                var client = new RawClient(peer.port())) {
            for (int i = 0; i < 2; i++) {
                client.send(RawClient.plaintext());
                assertPlaintext(client.receive());
            }
        }
    }

    /// More than any count of requests per connection that a framework has by default.
    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void keeps_a_connection_for_as_many_requests_as_come(String name) throws Exception {
        try (var peer = RunningPeer.start(name);
                var client = new RawClient(peer.port())) {
            for (int i = 0; i < 2000; i++) {
                client.send(RawClient.plaintext());
                assertPlaintext(client.receive());
            }
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void answers_three_requests_of_one_write(String name) throws Exception {
        try (var peer = RunningPeer.start(name);
                var client = new RawClient(peer.port())) {
            client.send(RawClient.plaintext(), RawClient.plaintext(), RawClient.plaintext());
            for (int i = 0; i < 3; i++) {
                assertPlaintext(client.receive());
            }
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void answers_requests_of_one_write_in_their_order(String name) throws Exception {
        try (var peer = RunningPeer.start(name);
                var client = new RawClient(peer.port())) {
            client.send(RawClient.echo(ONE_BYTE), RawClient.plaintext(), RawClient.echo(ONE_BYTE));
            assertEcho(ONE_BYTE, client.receive());
            assertPlaintext(client.receive());
            assertEcho(ONE_BYTE, client.receive());
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void echoes_one_byte(String name) throws Exception {
        echoesAndGoesOn(name, ONE_BYTE);
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void echoes_100_000_bytes(String name) throws Exception {
        byte[] body = new byte[100_000];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) (i * 31 + (i >> 8) * 17);
        }
        echoesAndGoesOn(name, body);
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void keeps_many_connections_at_once(String name) throws Exception {
        try (var peer = RunningPeer.start(name)) {
            var clients = new ArrayList<RawClient>();
            for (int i = 0; i < MANY_CONNECTIONS; i++) {
                clients.add(new RawClient(peer.port()));
            }
            for (int round = 0; round < 2; round++) {
                for (var client : clients) {
                    client.send(RawClient.plaintext());
                    assertPlaintext(client.receive());
                }
            }
            for (var client : clients) {
                client.close();
            }
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peersThatClose")
    void closes_after_each_response_when_told_to(String name) throws Exception {
        try (var peer = RunningPeer.start(name, "--close")) {
            try (var client = new RawClient(peer.port())) {
                client.send(RawClient.plaintext());
                assertPlaintext(assertLast(client));
            }
            try (var client = new RawClient(peer.port())) {
                client.send(RawClient.echo(ONE_BYTE));
                assertEcho(ONE_BYTE, assertLast(client));
            }
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peersThatDoNotClose")
    void says_so_when_it_cannot_close(String name) throws Exception {
        assertRefused(name, "--close");
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void listens_on_the_address_it_is_told_and_on_no_other(String name) throws Exception {
        try (var peer = RunningPeer.startOn("127.0.0.2", name);
                var client = new RawClient("127.0.0.2", peer.port())) {
            client.send(RawClient.plaintext());
            assertPlaintext(client.receive());
            assertThrows(ConnectException.class, () -> new RawClient(peer.port()));
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void ends_when_told_to_and_says_one_line_before(String name) throws Exception {
        try (var peer = RunningPeer.start(name);
                var client = new RawClient(peer.port())) {
            client.send(RawClient.plaintext());
            assertPlaintext(client.receive());
            // Not Process.destroy, which would close the output that is read below.
            peer.process().toHandle().destroy();
            assertTrue(peer.process().waitFor(10, TimeUnit.SECONDS), "still there 10 s after SIGTERM");
            assertEquals(List.of(), peer.restOfStandardOutput());
        }
    }

    @ParameterizedTest(name = "{displayName} of {0}")
    @MethodSource("peers")
    void refuses_an_option_it_does_not_know(String name) throws Exception {
        assertRefused(name, "--colour", "blue");
    }

    private static void echoesAndGoesOn(String name, byte[] body) throws Exception {
        try (var peer = RunningPeer.start(name);
                var client = new RawClient(peer.port())) {
            for (int i = 0; i < 20; i++) {
                client.send(RawClient.echo(body));
                assertEcho(body, client.receive());
            }
            client.send(RawClient.plaintext());
            assertPlaintext(client.receive());
        }
    }

    private static void assertPlaintext(Response response) {
        assertArrayEquals(HELLO, assertOk(response).body());
    }

    private static void assertEcho(byte[] body, Response response) {
        assertArrayEquals(body, assertOk(response).body());
    }

    private static Response assertOk(Response response) {
        assertTrue(response.statusLine().startsWith("HTTP/1.1 200"), response::statusLine);
        assertFalse(
                response.fields().containsKey("content-encoding"),
                () -> response.fields().toString());
        return response;
    }

    private static Response assertLast(RawClient client) throws IOException {
        Response response = client.receive();
        assertEquals("close", response.field("connection").toLowerCase(Locale.ROOT));
        assertTrue(client.isAtEnd());
        return response;
    }

    private static void assertRefused(String name, String... option) throws Exception {
        Path output = Files.createTempFile("peer", ".out");
        output.toFile().deleteOnExit();
        var process = new ProcessBuilder(HttpPeer.named(name).command("127.0.0.1", option))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(20, TimeUnit.SECONDS), "it runs, and did not refuse");
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertEquals(2, process.exitValue(), said);
        assertTrue(said.contains(option[0]), said);
    }
}
