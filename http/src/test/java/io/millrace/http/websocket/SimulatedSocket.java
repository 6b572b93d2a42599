package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.http.ws.RawFrame;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A client of WebSocket on a simulated network, which sends what a test says and answers nothing by itself.
final class SimulatedSocket {
    static final int PORT = 80;

    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    private final Simulation network;
    final Peer peer;

    private SimulatedSocket(Simulation network, Peer peer) {
        this.network = network;
        this.peer = peer;
    }

    /// Asks for a WebSocket, with further fields.
    static SimulatedSocket ask(Simulation network, String... fields) {
        return askFor("/", network, fields);
    }

    static SimulatedSocket askFor(String path, Simulation network, String... fields) {
        var head = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: a.example\r\n");
        head.append("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: " + KEY + "\r\n");
        if (!String.join("", fields).contains("Version")) head.append("Sec-WebSocket-Version: 13\r\n");
        for (var field : fields) head.append(field).append("\r\n");
        var socket = new SimulatedSocket(network, network.connect(PORT).send(head + "\r\n"));
        network.run();
        return socket;
    }

    String head() {
        var all = peer.received();
        int end = all.indexOf("\r\n\r\n");
        return end < 0 ? all : all.substring(0, end);
    }

    int status() {
        return Integer.parseInt(head().split(" ", 3)[1]);
    }

    /// What came behind the head, as hexadecimal digits are in [java.util.HexFormat].
    byte[] frames() {
        var all = peer.receivedBytes();
        int end = new String(all, ISO_8859_1).indexOf("\r\n\r\n");
        return Arrays.copyOfRange(all, end + 4, all.length);
    }

    List<String> texts() {
        return texts(peer.receivedBytes());
    }

    /// The short texts in a server's frames behind its head.
    static List<String> texts(byte[] all) {
        int at = new String(all, ISO_8859_1).indexOf("\r\n\r\n") + 4;
        var texts = new ArrayList<String>();
        while (at + 2 <= all.length && at + 2 + all[at + 1] <= all.length) {
            var payload = Arrays.copyOfRange(all, at + 2, at + 2 + all[at + 1]);
            if ((all[at] & 15) == 1) texts.add(new String(payload, UTF_8));
            at += 2 + payload.length;
        }
        return texts;
    }

    SimulatedSocket send(int first, byte[] payload) {
        peer.send(RawFrame.masked(first, payload));
        return this;
    }

    SimulatedSocket text(String message) {
        return send(0x81, message.getBytes(UTF_8));
    }

    SimulatedSocket pong() {
        return send(0x8a, new byte[0]);
    }

    SimulatedSocket advance(Duration time) {
        network.advance(time);
        return this;
    }

    /// The code of the close frame at the end of what came.
    int closeCode(String reason) {
        var all = frames();
        int at = all.length - 4 - reason.length();
        if (at < 0 || (all[at] & 0xff) != 0x88) throw new AssertionError("no close frame in " + Arrays.toString(all));
        return (all[at + 2] & 0xff) << 8 | (all[at + 3] & 0xff);
    }
}
