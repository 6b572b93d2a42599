package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/// Peers of an [IdleSocketsServer] in a process of their own: each opens a WebSocket, sends a message, reads it
/// back, and is idle then. A line for each line.
final class IdleSocketPeers {
    private static final String ASKS = """
            GET / HTTP/1.1\r
            Host: a.example\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r
            User-Agent: a browser of any kind, which tells much about itself\r
            Accept-Language: en\r
            \r
            """;
    private static final String FRAME = "\u0081\u0085\0\0\0\0hello";
    private static final String ECHO = "\u0081\5hello";

    private final InetSocketAddress server;
    private final List<SocketChannel> peers = new ArrayList<>();

    private IdleSocketPeers(int port) {
        server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /// The argument is the server's port.
    public static void main(String[] arguments) throws IOException {
        var all = new IdleSocketPeers(Integer.parseInt(arguments[0]));
        try (var in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            for (String line; (line = in.readLine()) != null; ) System.out.println(all.answer(line));
        }
    }

    private int answer(String question) throws IOException {
        if (question.equals("close")) close();
        else open(Integer.parseInt(question));
        return peers.size();
    }

    private void open(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            var peer = SocketChannel.open(server);
            peers.add(peer);
            peer.write(ISO_8859_1.encode(ASKS + FRAME));
            awaitEcho(peer);
        }
    }

    private static void awaitEcho(SocketChannel peer) throws IOException {
        var heard = ByteBuffer.allocate(1000);
        while (!new String(heard.array(), 0, heard.position(), ISO_8859_1).endsWith(ECHO)) {
            if (peer.read(heard) < 0) throw new IOException("the server has closed");
        }
    }

    private void close() throws IOException {
        for (var peer : peers) peer.close();
        peers.clear();
    }
}
