package io.millrace.proxy;

import io.millrace.EventLoops;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.http.websocket.WebSocketOpener;
import io.millrace.http.websocket.WebSocketSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Our client, which talks to the servers of others as their clients talk to ours.
record SocketClient(EventLoops loops, HttpClient client, WebSocketSettings settings) implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;
    private static final String LONG = "some words ".repeat(95_325) + "!";
    private static final byte[] BYTES = new byte[1 << 20];

    static {
        for (int i = 0; i < BYTES.length; i++) BYTES[i] = (byte) (i * 31 + (i >> 8));
    }

    static SocketClient of(HttpVersion version, WebSocketSettings settings) {
        var loops =
                EventLoops.configure().transport(TransportKind.EPOLL).threads(1).start();
        var client = HttpClient.of(ClientSettings.standard().loops(loops).version(version));
        return new SocketClient(loops, client, settings);
    }

    /// A socket, and what it has got: texts, and arrays.
    private record Talk(WebSocket socket, BlockingQueue<Object> got, CompletableFuture<String> end) {
        Object next() throws InterruptedException {
            var next = got.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) throw new AssertionError("nothing comes; the end: " + end);
            return next;
        }

        boolean echoes(String text) throws InterruptedException {
            return socket.send(text) && text.equals(next());
        }

        boolean echoes(byte[] bytes) throws InterruptedException {
            return socket.send(Bytes.of(bytes)) && next() instanceof byte[] got && Arrays.equals(bytes, got);
        }
    }

    private record Keeping(BlockingQueue<Object> got, CompletableFuture<String> end) implements WebSocketHandler {
        @Override
        public void onText(String text) {
            got.add(text);
        }

        @Override
        public void onBinary(WebSocket socket, Bytes bytes) {
            got.add(bytes.toArray());
        }

        @Override
        public void onClose(int code, String reason) {
            end.complete(code + ":" + reason);
        }
    }

    WebSocket open(String url, WebSocketOpener opener) throws Exception {
        return WebSocket.connect(client, Request.get(url), settings, opener).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private Talk open(String url) throws Exception {
        var got = new LinkedBlockingQueue<Object>();
        var end = new CompletableFuture<String>();
        return new Talk(open(url, _ -> new Keeping(got, end)), got, end);
    }

    /// Says which of its expectations a server of [SocketPeer] met, in a line of words.
    String talk(String url) throws Exception {
        var first = open(url);
        var said = new ArrayList<>(List.of(first.socket.subprotocol().orElse("none")));
        first.socket.send("packing");
        said.add(first.next().toString());
        said.add(first.echoes("hello äß€😀") ? "text" : "not-text");
        said.add(first.echoes("") ? "empty" : "not-empty");
        said.add(first.echoes(BYTES) ? "bytes" : "not-bytes");
        said.add(first.echoes(LONG) ? "long" : "not-long");
        for (int i = 0; i < 100; i++) first.socket.send("m" + i);
        boolean isInOrder = true;
        for (int i = 0; i < 100; i++) isInOrder &= first.next().equals("m" + i);
        said.add(isInOrder ? "burst" : "not-burst");
        first.socket.send("close 4001 enough");
        said.add(first.end.get(PATIENCE_SECONDS, TimeUnit.SECONDS));

        var second = open(url);
        second.socket.close(4002, "bye");
        said.add(second.end.get(PATIENCE_SECONDS, TimeUnit.SECONDS).substring(0, 4));

        var third = open(url);
        for (int i = 0; i < 2; i++) third.socket.send("last");
        said.add("ends:" + List.of(third.next(), third.next()).stream().sorted().toList());
        third.socket.close();
        third.end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        return String.join(" ", said);
    }

    @Override
    public void close() {
        client.close();
        loops.close();
    }
}
