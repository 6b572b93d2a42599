package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.HttpVersion;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// WebSocket over HTTP/2 with strangers on either side of the proxy: nghttpx, and a client and a server in Python.
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

    /// An ASGI application for the server Hypercorn, which sends each message back.
    private static final String SERVER = """
            async def app(scope, receive, send):
                if scope["type"] != "websocket": return
                await receive()
                await send({"type": "websocket.accept"})
                while True:
                    event = await receive()
                    if event["type"] == "websocket.disconnect": return
                    await send({"type": "websocket.send", "text": event["text"]})
            """;

    private Path python() throws Exception {
        var program = Machine.program(List.of("python3")).orElseThrow(() -> Machine.lacks("there is no python3"));
        run(program.toString(), "-m", "venv", "venv");
        var install = new ProcessBuilder(
                        folder.resolve("venv/bin/pip").toString(), "install", "-q", "h2", "wsproto", "hypercorn")
                .redirectErrorStream(true)
                .start();
        var said = new String(install.getInputStream().readAllBytes(), UTF_8);
        if (install.waitFor() != 0) throw Machine.lacks("libraries of Python cannot be installed: " + said);
        return folder.resolve("venv/bin/python");
    }

    private String run(String... words) throws Exception {
        var running = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        var said = new String(running.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, running.waitFor(), said);
        return said;
    }

    @Test
    @Tag("long")
    void a_client_and_a_server_in_Python_talk_through_each_pair_with_HTTP_2() throws Exception {
        var python = python();
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
        try (var server = OtherProxy.program(folder, serving)) {
            for (var version : List.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2)) {
                try (var proxy = Proxying.Kind.EPOLL_SAME.to(
                        upstream -> upstream.version(version), "http://127.0.0.1:" + server.port())) {
                    var port = "" + proxy.server().port();
                    assertEquals("200 220005 True\n", run(python.toString(), "-c", CLIENT, port), version.toString());
                }
            }
        }
    }
}
