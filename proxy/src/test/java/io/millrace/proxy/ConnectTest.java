package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.net.Resolver;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// CONNECT leads to servers that are named, and nowhere else.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectTest {
    private static final Resolver LOOPBACK = _ -> List.of(InetAddress.getLoopbackAddress());

    /// Sends back what comes, and then its end.
    private static RawBackend echo() throws IOException {
        return new RawBackend(visit -> {
            var part = new byte[64 << 10];
            for (int length; (length = visit.in.read(part)) > 0; ) {
                visit.send(new String(part, 0, length, StandardCharsets.ISO_8859_1));
            }
            visit.send("bye");
        });
    }

    private static Proxying proxy(Proxying.Kind kind, String... targets) {
        return proxy(kind, LOOPBACK, targets);
    }

    private static Proxying proxy(Proxying.Kind kind, Resolver names, String... targets) {
        return kind.serve(
                Upstream.of("http://127.0.0.1:1"),
                upstream -> ConnectTunnels.to(List.of(targets), upstream).resolver(names));
    }

    private static String asking(String target) {
        return "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n";
    }

    @ParameterizedTest
    @EnumSource
    void bytes_and_ends_go_both_ways_behind_it(Proxying.Kind kind) throws Exception {
        try (var server = echo();
                var proxy = proxy(kind, "127.0.0.1:" + server.port());
                var client = proxy.connect()) {
            client.send(asking("127.0.0.1:" + server.port()) + "early ");
            assertEquals(200, client.readHead().status());
            client.send("late ");
            client.socket().shutdownOutput();
            assertEquals("early late bye", new String(client.readAll(), StandardCharsets.ISO_8859_1));
        }
    }

    @ParameterizedTest
    @EnumSource
    void large_bodies_come_back_whole_however_slowly_they_are_read(Proxying.Kind kind) throws Exception {
        var sent = new byte[4 << 20];
        new Random(7).nextBytes(sent);
        try (var server = echo();
                var proxy = proxy(kind, "127.0.0.1:" + server.port());
                var client = proxy.connect()) {
            client.send(asking("127.0.0.1:" + server.port()));
            assertEquals(200, client.readHead().status());
            client.sendMeanwhile(sent);
            assertArrayEquals(sent, client.exactly(sent.length));
        }
    }

    @ParameterizedTest
    @EnumSource
    void where_the_list_does_not_lead_is_403_and_what_follows_no_request(Proxying.Kind kind) throws Exception {
        try (var server = echo();
                var proxy = proxy(kind, "127.0.0.1:1");
                var client = proxy.connect()) {
            var reply = client.send(asking("127.0.0.1:" + server.port()) + asking("127.0.0.1:1"))
                    .read();
            assertEquals(403, reply.status());
            client.assertEnd();
            assertEquals(0, server.connections());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_server_that_is_not_there_is_502_and_what_follows_no_request(Proxying.Kind kind) throws Exception {
        var nobody = Tunnelling.nobody();
        try (var proxy = proxy(kind, nobody);
                var client = proxy.connect()) {
            assertEquals(
                    502, client.send(asking(nobody) + asking(nobody)).read().status());
            client.assertEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_that_leaves_while_its_server_is_looked_up_leaves_nothing(Proxying.Kind kind) throws Exception {
        var isLookedUp = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        Resolver slow = _ -> {
            isLookedUp.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return List.of(InetAddress.getLoopbackAddress());
        };
        try (var server = echo();
                var proxy = proxy(kind, slow, "a.test:" + server.port())) {
            try (var client = proxy.connect()) {
                client.send(asking("a.test:" + server.port()));
                isLookedUp.await();
                client.socket().setSoLinger(true, 0);
            }
            Tunnelling.until(() -> proxy.connections() == 0);
            goOn.countDown();
            Tunnelling.until(() -> server.connections() == 1 && proxy.connections() == 0);
        }
    }

    /// Without a wildcard the same name leads to the same address.
    @ParameterizedTest
    @CsvSource({
        "a.internal, 200",
        "A.INTERNAL, 200",
        "a.internal., 200",
        "b.internal, 403",
        "b.a.internal, 403",
        "internal, 403",
        "ainternal, 403",
        "127.0.0.1, 403",
        "[::1], 403"
    })
    void a_wildcard_does_not_lead_to_this_machine(String host, int status) throws Exception {
        try (var server = echo();
                var proxy =
                        proxy(Proxying.Kind.NIO_SAME, "a.internal:" + server.port(), "*.internal:" + server.port());
                var client = proxy.connect()) {
            client.send(asking(host + ":" + server.port()));
            assertEquals(status, client.readHead().status());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "169.254.169.254", "fe80::1", "224.0.0.1", "::ffff:127.0.0.1"})
    void nor_to_other_addresses_that_are_nobody_elses(String address) throws Exception {
        Resolver names = _ -> List.of(InetAddress.ofLiteral(address));
        try (var proxy = proxy(Proxying.Kind.NIO_SAME, names, "*.internal:80");
                var client = proxy.connect()) {
            assertEquals(403, client.send(asking("a.internal:80")).read().status());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONNECT a.test:80 HTTP/1.1\r\nHost: b.test:80\r\n\r\n",
                "CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\nContent-Length: 5\r\n\r\nhello",
                "CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "CONNECT a.test HTTP/1.1\r\nHost: a.test\r\n\r\n",
                "CONNECT http://a.test:80/ HTTP/1.1\r\nHost: a.test:80\r\n\r\n",
                "CONNECT me@a.test:80 HTTP/1.1\r\nHost: me@a.test:80\r\n\r\n",
                "CONNECT /path HTTP/1.1\r\nHost: a.test:80\r\n\r\n"
            })
    void one_that_could_be_read_in_two_ways_is_refused(String request) throws Exception {
        try (var proxy = proxy(Proxying.Kind.NIO_SAME, "a.test:80", "b.test:80");
                var client = proxy.connect()) {
            assertEquals(400, client.send(request).read().status());
            client.assertEnd();
        }
    }
}
