package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.bytes.Bytes;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.GroupMember;
import io.millrace.codec.GroupSettings;
import io.millrace.codec.Joining;
import io.millrace.codec.Messages;
import io.millrace.codec.Presence;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.WebPeer;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.testing.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Members of all kinds in one group, over real sockets.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupMembersTest {
    /// Long enough to be packed.
    private static final String LONG = " and so on".repeat(200);

    private static final String UPGRADE = """
            GET / HTTP/1.1
            Host: a
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
            Sec-WebSocket-Version: 13

            """.replace("\n", "\r\n");

    private final Group<String> group = new Group<>(GroupSettings.standard().history(100));
    private final LinkedBlockingQueue<GroupMember<String>> joined = new LinkedBlockingQueue<>();

    private void join(GroupMember<String> member, Joining how) {
        assertTrue(group.join(member, how));
        joined.add(member);
    }

    private Response answer(Request request) {
        var how = request.parameter("user").map(Joining::as).orElse(Joining.anonymous());
        return switch (request.path()) {
            case "/events" -> Response.events(stream -> join(stream, how));
            case "/prices" -> Response.events(stream -> join(stream.named("price"), how));
            case "/direct" ->
                WebSocket.serve(request, socket -> {
                    join(socket, how);
                    for (String text; (text = socket.receive()) != null; ) group.broadcastFrom(socket, text);
                });
            default ->
                WebSocket.accept(request, WebSocketSettings.standard().slowReader(SlowReader.DROP_OLDEST), socket -> {
                    join(socket, how);
                    return text -> group.broadcastFrom(socket, text);
                });
        };
    }

    private HttpHandler app() {
        return this::answer;
    }

    private Server lines(Serving serving) {
        var on = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(serving.loops());
        return Tcp.listen(on, Messages.over(Framing.lines(10_000), Codec.utf8(), peer -> {
            join(peer, Joining.anonymous());
            return text -> group.broadcastFrom(peer, text);
        }));
    }

    private <T> T next(LinkedBlockingQueue<T> queue) throws InterruptedException {
        var next = queue.poll(20, TimeUnit.SECONDS);
        assertNotNull(next, "nothing comes");
        return next;
    }

    private static BufferedReader reader(WebPeer peer) throws IOException {
        return new BufferedReader(new InputStreamReader(peer.socket().getInputStream(), UTF_8));
    }

    /// The next line of an event, without the framing of chunks around it.
    private static String event(BufferedReader from, String field) throws IOException {
        while (true) {
            var line = String.valueOf(from.readLine());
            if (line.startsWith(field + ": ")) return line.substring(field.length() + 2);
        }
    }

    private static HttpClient client(Serving serving, HttpVersion version) {
        return HttpClient.of(ClientSettings.standard().loops(serving.loops()).version(version));
    }

    /// A socket of our client, which packs.
    private LinkedBlockingQueue<String> socket(HttpClient client, Serving serving) throws Exception {
        var got = new LinkedBlockingQueue<String>();
        var _ = WebSocket.connect(client, Request.get(serving.url("/")), _ -> got::add)
                .get(20, TimeUnit.SECONDS);
        next(joined);
        return got;
    }

    @ParameterizedTest
    @EnumSource
    void members_of_all_kinds_get_the_same_messages_in_order(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(app());
                var tcp = lines(serving);
                var http1 = client(serving, HttpVersion.HTTP_1_1);
                var http2 = client(serving, HttpVersion.HTTP_2);
                var callback = JdkSocket.open(serving.url("/"));
                var direct = JdkSocket.open(serving.url("/direct"));
                var line = WebPeer.of(tcp.port());
                var events = serving.connect()) {
            for (int i = 0; i < 3; i++) next(joined);
            var packing = socket(http1, serving);
            var streamed = socket(http2, serving);
            var lines = reader(line);
            var stream = reader(events.get("/events"));
            next(joined);
            assertEquals(6, group.size());
            for (int i = 0; i < 50; i++) group.broadcast(i + (i % 5 == 0 ? LONG : ""));
            for (int i = 0; i < 50; i++) {
                var expected = i + (i % 5 == 0 ? LONG : "");
                callback.assertGets(expected);
                direct.assertGets(expected);
                assertEquals(expected, next(packing));
                assertEquals(expected, next(streamed));
                assertEquals(expected, lines.readLine());
                assertEquals(expected, event(stream, "data"));
            }
            callback.send("from callback");
            direct.assertGets("from callback");
            assertEquals("from callback", lines.readLine());
            assertEquals("from callback", event(stream, "data"));
            direct.send("from direct");
            callback.assertGets("from direct");
            assertEquals("from direct", event(stream, "data"));
        }
        assertEquals(0, group.size());
    }

    @ParameterizedTest
    @EnumSource
    void what_is_sent_to_a_user_goes_to_each_of_the_connections(Serving.Kind kind) throws Exception {
        var told = new LinkedBlockingQueue<Presence>();
        group.onPresence(told::add);
        try (var serving = kind.serve(app());
                var one = JdkSocket.open(serving.url("/?user=ann"));
                var two = JdkSocket.open(serving.url("/direct?user=ann"));
                var other = JdkSocket.open(serving.url("/?user=bob"))) {
            for (int i = 0; i < 3; i++) next(joined);
            assertEquals(Set.of("ann", "bob"), group.users());
            group.send("ann", "for you");
            group.send("nobody", "lost");
            group.broadcast("for all");
            one.assertGets("for you");
            two.assertGets("for you");
            for (var each : List.of(one, two, other)) each.assertGets("for all");
            one.socket.sendClose(1000, "").join();
            other.socket.sendClose(1000, "").join();
            var all = List.of(next(told), next(told), next(told));
            assertEquals(new Presence("bob", false), all.getLast());
            assertEquals(Set.of("ann"), group.users());
            two.socket.sendClose(1000, "").join();
            assertEquals(new Presence("ann", false), next(told));
        }
    }

    /// The first member on its loop.
    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_LOOP", "URING_LOOP"})
    void who_joins_gets_what_another_thread_sends_meanwhile(Serving.Kind kind) throws Exception {
        group.broadcast("old");
        group.welcome(_ -> {
            CompletableFuture.runAsync(() -> group.broadcast("meanwhile")).join();
            return "welcome";
        });
        HttpHandler app = request -> WebSocket.accept(request, socket -> {
            join(socket, Joining.anonymous().last(10));
            group.broadcast("new");
            return _ -> {};
        });
        try (var serving = kind.serve(app);
                var peer = JdkSocket.open(serving.url("/"))) {
            for (var expected : List.of("old", "welcome", "meanwhile", "new")) peer.assertGets(expected);
        }
    }

    /// A broadcast that another thread has begun holds up what the loop itself sends to the socket.
    @ParameterizedTest
    @CsvSource({"CLOSE, 0, 1006 the peer was too slow", "DROP_OLDEST, 1, 1000 enough"})
    void too_much_behind_a_broadcast_is_what_the_policy_says(SlowReader policy, long missed, String end)
            throws Exception {
        var settings = WebSocketSettings.standard().queueBytes(1000).slowReader(policy);
        var other = new Group<String>();
        var ended = new CompletableFuture<String>();
        HttpHandler app = request -> WebSocket.accept(request, settings, socket -> {
            group.join(socket);
            other.join(socket);
            return new WebSocketHandler() {
                @Override
                public void onText(String text) {
                    CompletableFuture.runAsync(() -> group.broadcast("first")).join();
                    assertTrue(socket.send("x".repeat(2000)));
                    other.broadcast("too much");
                    assertEquals(missed, socket.missed());
                }

                @Override
                public void onClose(int code, String reason) {
                    ended.complete(code + " " + reason);
                }
            };
        });
        try (var serving = Serving.Kind.EPOLL_LOOP.serve(app);
                var peer = JdkSocket.open(serving.url("/"))) {
            peer.send("go");
            if (missed > 0) {
                peer.assertGets("first");
                peer.assertGets("x".repeat(2000));
                peer.socket.sendClose(1000, "enough").join();
            }
            assertEquals(end, ended.get(20, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void bytes_and_named_events_have_groups_of_their_own_kind(Serving.Kind kind) throws Exception {
        var bytes = new Group<Bytes>();
        var opened = new LinkedBlockingQueue<Boolean>();
        HttpHandler app = request -> request.path().equals("/bytes")
                ? WebSocket.accept(request, socket -> {
                    opened.add(bytes.join(socket.binary()));
                    return text -> bytes.leave(socket.binary());
                })
                : answer(request);
        try (var serving = kind.serve(app);
                var socket = JdkSocket.open(serving.url("/bytes"));
                var prices = serving.connect()) {
            var stream = reader(prices.get("/prices"));
            next(joined);
            assertTrue(next(opened));
            bytes.broadcast(Bytes.of(new byte[] {1, 2, 3}));
            assertArrayEquals(new byte[] {1, 2, 3}, (byte[]) socket.next());
            group.broadcast("17");
            assertEquals("price", event(stream, "event"));
            assertEquals("17", event(stream, "data"));
            socket.send("leave");
            while (bytes.size() > 0) Waiting.briefly();
        }
    }

    /// So many that each one's frame leaves at once.
    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_LOOP", "URING_LOOP", "EPOLL_VIRTUAL"})
    void many_members_get_everything_in_order(Serving.Kind kind) throws Exception {
        int messages = 60;
        var text = "x".repeat(5_000);
        var peers = new ArrayList<WebPeer>();
        try (var serving = kind.serve(app())) {
            for (int i = 0; i < 150; i++) {
                var peer = serving.connect().send(UPGRADE);
                peers.add(peer);
                while (!peer.line().isEmpty()) {}
                next(joined);
            }
            for (int i = 0; i < messages; i++) group.broadcast("%03d".formatted(i) + text);
            for (int i = 0; i < messages; i++) {
                for (var peer : peers) assertGets(peer, i, text);
            }
            for (var peer : peers) peer.close();
        }
        assertEquals(0, group.size());
    }

    private static void assertGets(WebPeer peer, int number, String text) throws IOException {
        var frame = peer.bytes(4 + 3 + text.length());
        assertEquals("%03d".formatted(number), new String(frame, 4, 3, UTF_8));
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_VIRTUAL", "URING_POOL"})
    void a_socket_of_a_client_may_be_a_member(Serving.Kind kind) throws Exception {
        var got = new LinkedBlockingQueue<String>();
        HttpHandler app = request -> WebSocket.accept(request, _ -> got::add);
        try (var serving = kind.serve(app);
                var client = client(serving, HttpVersion.HTTP_1_1)) {
            var socket = WebSocket.connect(client, Request.get(serving.url("/")), _ -> _ -> {})
                    .get(20, TimeUnit.SECONDS);
            assertTrue(group.join(socket));
            for (int i = 0; i < 20; i++) group.broadcast(i + (i % 5 == 0 ? LONG : ""));
            socket.send("then");
            group.broadcast("last");
            socket.close();
            for (int i = 0; i < 20; i++) assertEquals(i + (i % 5 == 0 ? LONG : ""), next(got));
            assertEquals("then", next(got));
            assertEquals("last", next(got));
        }
    }
}
