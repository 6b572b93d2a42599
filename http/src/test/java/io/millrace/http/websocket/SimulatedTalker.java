package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Bytes;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One end of a WebSocket in a simulation, as a handler or as a session: it sends messages of both kinds, whole
/// and in parts, and keeps those that it gets, as texts.
final class SimulatedTalker implements WebSocketHandler {
    private static final int LARGEST = 3_000;

    private final Simulation network;
    private final List<String> planned = new ArrayList<>();
    private final List<String> got = new ArrayList<>();
    private final List<Integer> ends = new ArrayList<>();
    private int sent;
    private boolean hasClosed;
    private @Nullable WebSocketEnd socket;

    /// Within a message, in bytes: its first ones are sent.
    private int sentBytes;

    SimulatedTalker(Simulation network, String name) {
        this.network = network;
        int count = network.random(30);
        for (int i = 0; i < count; i++)
            planned.add(name + " " + i + " " + "a😀".repeat(network.random(LARGEST) / (1 + network.random(100))));
    }

    void close() {
        hasClosed = true;
        if (socket != null) socket.close();
    }

    void abort() {
        hasClosed = true;
        if (socket != null) socket.abort();
    }

    // As a handler.

    SimulatedTalker opened(WebSocket opened) {
        socket = opened;
        sendSome(opened);
        return this;
    }

    private void sendSome(WebSocket to) {
        while (sent < planned.size() && !to.isFull() && sendNext(to, planned.get(sent))) {}
    }

    private boolean sendNext(WebSocket to, String message) {
        boolean goesOn = switch (sentBytes > 0 ? 2 : network.random(3)) {
            case 0 -> to.send(message);
            case 1 -> to.send(Bytes.utf8(message));
            default -> to.sendPart(nextPart(message), isWhole(message));
        };
        if (goesOn && isWhole(message)) passes();
        return goesOn;
    }

    /// Some of what is left of it, which may be nothing, but behind a first byte.
    private Bytes nextPart(String message) {
        var bytes = message.getBytes(UTF_8);
        int from = sentBytes;
        int some = Math.max(from == 0 ? 1 : 0, network.random(5_000));
        sentBytes += Math.min(bytes.length - from, some);
        return Bytes.of(java.util.Arrays.copyOfRange(bytes, from, sentBytes));
    }

    private boolean isWhole(String message) {
        return sentBytes == 0 || sentBytes == message.getBytes(UTF_8).length;
    }

    private void passes() {
        sent++;
        sentBytes = 0;
    }

    @Override
    public void onText(String text) {
        got.add(text);
    }

    @Override
    public void onBinary(WebSocket from, Bytes bytes) {
        got.add(bytes.utf8());
    }

    @Override
    public void onWritable() {
        if (socket instanceof WebSocket open) sendSome(open);
    }

    @Override
    public void onClose(int code, String reason) {
        ends.add(code);
    }

    // As a session.

    void talk(BlockingWebSocket with) {
        socket = with;
        try {
            for (; sent < planned.size(); passes()) with.send(planned.get(sent));
            for (var next = with.receiveAny(); next != null; next = with.receiveAny()) take(next);
            ends.add(CloseCode.NORMAL);
        } catch (WebSocketClosed e) {
            ends.add(e.code());
        } catch (IOException e) {
            ends.add(CloseCode.ABNORMAL);
        }
    }

    private void take(WebSocketMessage next) {
        switch (next) {
            case WebSocketMessage.Text(var text) -> got.add(text);
            case WebSocketMessage.Binary(var bytes) -> got.add(bytes.utf8());
        }
    }

    // Afterwards.

    boolean wasOpen() {
        return socket != null;
    }

    /// As [#assertGot], of a peer that may have sent less.
    void assertGotSome(List<String> most) {
        assertEquals(1, ends.size(), ends::toString);
        assertEquals(most.subList(0, got.size()), got);
    }

    /// What it got is what the other one sent, from the first message on; all of it, unless the close tells that
    /// there may be more, or it was this end that closed.
    void assertGot(SimulatedTalker from) {
        assertEquals(1, ends.size(), ends::toString);
        assertEquals(from.planned.subList(0, got.size()), got);
        boolean isTold = hasClosed || ends.getFirst() == CloseCode.ABNORMAL;
        if (!isTold) assertEquals(from.sent, got.size(), () -> "ended with " + ends);
    }
}
