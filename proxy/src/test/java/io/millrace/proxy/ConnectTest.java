package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.millrace.http.RequestListener;
import io.millrace.http.filter.BasicAuth;
import io.millrace.http.filter.RateLimit;
import io.millrace.http.raw.FrameText;
import io.millrace.net.Resolver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
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
    void one_that_is_refused_over_HTTP2_leaves_the_others_alone(Proxying.Kind kind) throws Exception {
        try (var proxy = proxy(kind, "127.0.0.1:1");
                var client = proxy.connect()) {
            var forbidden = FrameText.fields(":method", "CONNECT", ":authority", "127.0.0.1:2");
            var unreachable = FrameText.fields(":method", "CONNECT", ":authority", "127.0.0.1:1");
            client.send(FrameText.PREFACE + FrameText.HELLO);
            client.send(FrameText.headers(1, forbidden) + FrameText.headers(3, unreachable));
            var answered = new TreeSet<Integer>();
            while (answered.size() < 2) {
                var frame = FrameText.read(client.in());
                assertNotEquals(FrameText.GOAWAY, frame.type());
                if (frame.type() == FrameText.HEADERS) answered.add(frame.stream());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void it_is_over_when_its_tunnel_is_and_its_bytes_are_counted(Proxying.Kind kind) throws Exception {
        var served = new LinkedBlockingQueue<List<Object>>();
        RequestListener told =
                one -> served.add(List.of(one.status(), one.isTunnel(), one.requestBytes(), one.responseBytes()));
        try (var server = echo();
                var proxy = kind.serve(
                        Upstream.of("http://127.0.0.1:1"),
                        told,
                        upstream -> ConnectTunnels.to(List.of("127.0.0.1:" + server.port()), upstream));
                var client = proxy.connect()) {
            client.send(asking("127.0.0.1:" + server.port()) + "early ");
            assertEquals(200, client.readHead().status());
            assertEquals("early ", new String(client.exactly(6), StandardCharsets.ISO_8859_1));
            assertEquals(List.of(), List.copyOf(served));
            client.socket().shutdownOutput();
            assertEquals("bye", new String(client.readAll(), StandardCharsets.ISO_8859_1));
            assertEquals(List.of(200, true, 6L, 9L), served.poll(20, TimeUnit.SECONDS));
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
    void whoever_refuses_it_what_follows_is_no_request(Proxying.Kind kind) throws Exception {
        try (var server = echo();
                var proxy = kind.serve(
                        Upstream.of(server.uri()),
                        upstream -> RateLimit.of(1, Duration.ofHours(1), 1)
                                .around(ConnectTunnels.to(List.of("127.0.0.1:" + server.port()), upstream)));
                var first = proxy.connect();
                var client = proxy.connect()) {
            assertEquals(
                    200,
                    first.send(asking("127.0.0.1:" + server.port())).readHead().status());
            assertArrayEquals(new byte[] {'x'}, first.send("x").exactly(1));
            var reply = client.send(asking("127.0.0.1:" + server.port()) + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    .read();
            assertEquals(429, reply.status());
            client.assertEnd();
            assertEquals(1, server.connections());
        }
    }

    @ParameterizedTest
    @EnumSource
    void who_has_no_password_is_told_by_the_proxy(Proxying.Kind kind) throws Exception {
        try (var server = echo();
                var proxy = kind.serve(
                        Upstream.of(server.uri()),
                        upstream -> BasicAuth.of(
                                        "proxy",
                                        Map.of("ada", password -> "secret".contentEquals(CharBuffer.wrap(password))))
                                .around(ConnectTunnels.to(List.of("127.0.0.1:" + server.port()), upstream)));
                var client = proxy.connect();
                var other = proxy.connect()) {
            var target = "127.0.0.1:" + server.port();
            var refused = client.send(asking(target)).read();
            assertEquals(407, refused.status());
            assertEquals("Basic realm=\"proxy\", charset=\"UTF-8\"", refused.header("Proxy-Authenticate"));
            var secret = Base64.getEncoder().encodeToString("ada:secret".getBytes(StandardCharsets.US_ASCII));
            var asking = asking(target).replace("\r\n\r\n", "\r\nProxy-Authorization: Basic " + secret + "\r\n\r\n");
            assertEquals(200, other.send(asking).readHead().status());
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

    @Test
    void nor_to_what_else_this_machine_is_called() throws Exception {
        var own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .toList();
        try (var proxy = proxy(Proxying.Kind.NIO_SAME, _ -> own, "*.internal:80");
                var client = proxy.connect()) {
            assertEquals(403, client.send(asking("a.internal:80")).readHead().status());
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
