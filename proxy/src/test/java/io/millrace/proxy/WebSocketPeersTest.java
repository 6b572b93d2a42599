package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.RequestListener;
import io.millrace.http.ServedRequest;
import io.millrace.proxy.admin.Chromium;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.HeadlessBrowser;
import io.millrace.testing.Peers;
import io.millrace.testing.PemFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// WebSocket over HTTP/2 with strangers on either side of the proxy: nghttpx, a browser, and a client and a server in
/// Python.
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class WebSocketPeersTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    private Path folder;

    /// Agrees, says hello, and sends back what comes.
    private static RawBackend echo() throws IOException {
        return new RawBackend(visit -> {
            visit.send(RawHandshake.agreeing(visit.head()) + "hello");
            var part = new byte[10_000];
            for (int length; (length = visit.in.read(part)) > 0; ) visit.send(new String(part, 0, length, ISO_8859_1));
        });
    }

    private static void assertEchoes(int port) throws IOException {
        var words = "some words ".repeat(50_000);
        try (var client = new RawClient(port)) {
            assertEquals(101, client.send(RawHandshake.ASKING).read().status());
            assertEquals("hello", new String(client.exactly(5), ISO_8859_1));
            client.sendMeanwhile(words.getBytes(ISO_8859_1));
            assertEquals(words, new String(client.exactly(words.length()), ISO_8859_1));
        }
    }

    @Test
    void nghttpx_in_front_speaks_HTTP_2_with_the_proxy() throws Exception {
        try (var backend = echo();
                var proxy = Proxying.Kind.EPOLL_SAME.to(backend.uri());
                var front = OtherProxy.nghttpx(folder, proxy.server().port(), ";;proto=h2")) {
            assertEchoes(front.port());
        }
    }

    @Test
    void the_proxy_speaks_HTTP_2_with_nghttpx_behind_it() throws Exception {
        try (var backend = echo();
                var behind = OtherProxy.nghttpx(folder, backend.port(), "");
                var proxy = Proxying.Kind.EPOLL_SAME.to(
                        upstream -> upstream.version(HttpVersion.HTTP_2), "http://127.0.0.1:" + behind.port())) {
            assertEchoes(proxy.server().port());
        }
    }

    /// A client of the library h2, which asks by extended CONNECT once it is announced, and counts what comes back.
    private static final String CLIENT = """
            import socket, sys, h2.connection, h2.config, h2.events, h2.settings, wsproto.connection, wsproto.events
            sock = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            conn = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
            conn.initiate_connection()
            sock.sendall(conn.data_to_send())
            ws = wsproto.connection.Connection(wsproto.connection.ConnectionType.CLIENT)
            id, status, got, sent, pending, over = None, None, [], False, b"", False
            words = "some words " * 20000
            def flush():
                global pending
                while pending:
                    room = min(conn.local_flow_control_window(id), conn.max_outbound_frame_size, len(pending))
                    if room <= 0: break
                    conn.send_data(id, pending[:room])
                    pending = pending[room:]
                sock.sendall(conn.data_to_send())
            while not over:
                for event in conn.receive_data(sock.recv(65536)):
                    if isinstance(event, h2.events.RemoteSettingsChanged) and id is None:
                        if conn.remote_settings.enable_connect_protocol != 1: sys.exit("it was not announced")
                        id = conn.get_next_available_stream_id()
                        conn.send_headers(id, [(":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"),
                            (":path", "/chat"), (":authority", "a"), ("sec-websocket-version", "13")])
                    if isinstance(event, h2.events.ResponseReceived):
                        status = dict(event.headers)[b":status"]
                        pending += ws.send(wsproto.events.TextMessage(data="hello"))
                        pending += ws.send(wsproto.events.TextMessage(data=words))
                    if isinstance(event, h2.events.DataReceived):
                        conn.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                        if over: continue
                        ws.receive_data(event.data)
                        for frame in ws.events():
                            if isinstance(frame, wsproto.events.TextMessage): got.append(frame.data)
                            if isinstance(frame, wsproto.events.CloseConnection): over = True
                        if not sent and "".join(got) == "hello" + words:
                            sent = True
                            pending += ws.send(wsproto.events.CloseConnection(code=1000))
                    if isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)): over = True
                flush()
            print(status.decode(), len("".join(got)), sent)
            """;

    /// An ASGI application for the server Hypercorn, which sends each message back. Its page opens a WebSocket.
    private static final String SERVER = """
            PAGE = b'''<!DOCTYPE html><title>asking</title><script>
            const words = "some words ".repeat(20000), socket = new WebSocket("wss://" + location.host + "/chat");
            let got = "";
            socket.onopen = () => { socket.send("hello"); socket.send(words); };
            socket.onmessage = event => {
                got += event.data;
                if (got === "hello" + words) socket.close(1000);
            };
            socket.onclose = event => document.title = event.code + " " + event.wasClean + " " + got.length;
            </script>'''

            async def app(scope, receive, send):
                if scope["type"] == "http":
                    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
                    await send({"type": "http.response.body", "body": PAGE})
                if scope["type"] != "websocket": return
                await receive()
                await send({"type": "websocket.accept"})
                while True:
                    event = await receive()
                    if event["type"] == "websocket.disconnect": return
                    await send({"type": "websocket.send", "text": event["text"]})
            """;

    private static Path python() throws Exception {
        return Peers.python("hypercorn", "h2", "wsproto", "hypercorn");
    }

    @Test
    @Tag("long")
    void a_client_and_a_server_in_Python_talk_through_each_pair_with_HTTP_2() throws Exception {
        var python = python();
        try (var server = hypercorn(python)) {
            for (var version : List.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2)) {
                try (var proxy = Proxying.Kind.EPOLL_SAME.to(
                        upstream -> upstream.version(version), "http://127.0.0.1:" + server.port())) {
                    var port = "" + proxy.server().port();
                    var said = Peers.run(List.of(python.toString(), "-c", CLIENT, port));
                    assertEquals("200 220005 True\n", said, version.toString());
                }
            }
        }
    }

    private OtherProxy hypercorn(Path python) throws IOException {
        Files.writeString(folder.resolve("echo.py"), SERVER);
        var serving = List.of(
                python.toString(),
                "-m",
                "hypercorn",
                "--workers",
                "0",
                "--bind",
                "127.0.0.1:PORT",
                "asgi:" + folder + "/echo.py:app");
        return OtherProxy.program(folder, serving);
    }

    /// A browser asks for a WebSocket on the connection that brought the page, if that announces it; elsewhere it makes
    /// one of HTTP/1.1. Over HTTP/2 Hypercorn fails when a client ends its stream, as this one does: a second proxy
    /// speaks HTTP/1.1 with it.
    @Test
    @Tag("long")
    void a_page_talks_on_the_connection_that_brought_it() throws Exception {
        var files = PemFiles.make(folder, "server", "localhost");
        try (var server = hypercorn(python());
                var behind = Proxying.Kind.EPOLL_SAME.to("http://127.0.0.1:" + server.port());
                var chromium = Chromium.start(folder, HeadlessBrowser.trusting(files))) {
            for (var version : List.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2)) {
                var upstream = Upstream.of("http://127.0.0.1:" + behind.server().port())
                        .version(version);
                var served = new LinkedBlockingQueue<List<Object>>();
                var peers = ConcurrentHashMap.newKeySet();
                RequestListener told = one -> {
                    peers.add(one.remote());
                    served.add(List.of(path(one), one.protocol(), one.status(), one.isTunnel()));
                };
                try (var proxy = Proxying.Kind.EPOLL_SAME.secure(files, upstream, told, to -> to)) {
                    chromium.open(
                            URI.create("https://localhost:" + proxy.server().port() + "/"), 800, false);
                    chromium.await("document.title != 'asking' && document.title != ''");
                    assertEquals(
                            "1000 true 220005", chromium.value("document.title").asText());
                    assertEquals(List.of("/", "HTTP/2.0", 200, false), next(served, "/"));
                    assertEquals(List.of("/chat", "HTTP/2.0", 101, true), next(served, "/chat"));
                    assertEquals(1, peers.size(), peers::toString);
                }
            }
        }
    }

    private static String path(ServedRequest one) {
        return one.request().map(Request::path).orElse("");
    }

    /// The next one of this path: a browser asks for an icon, too.
    private static List<Object> next(BlockingQueue<List<Object>> served, String path) throws InterruptedException {
        while (true) {
            var next = served.poll(20, TimeUnit.SECONDS);
            if (next == null) throw new AssertionError("nothing more is served");
            if (next.getFirst().equals(path)) return next;
        }
    }
}
