package io.millrace.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.Chain;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.transport.Transport.SocketOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// One end of a test: a transport with its pool, driven by the test's thread, and a record of what it delivered.
final class Host implements Completions {
    enum Event {
        ACCEPTED,
        CONNECTED,
        RECEIVED,
        SENT,
        ENDED,
        FAILED,
        STARVED
    }

    /// Opens the transport under test.
    interface Opener {
        Transport open(SlabPool pool) throws IOException;
    }

    final SlabPool pool = new SlabPool(64 << 20, true);
    final Transport transport;
    final ArrayDeque<Transport.Accepted> accepted = new ArrayDeque<>();

    /// What the receiver of a completion does once it is recorded.
    BiConsumer<Event, Integer> reaction = (_, _) -> {};

    private final Map<Integer, Side> sides = new HashMap<>();

    Host(Opener opener) throws IOException {
        transport = opener.open(pool);
    }

    /// What happened to one socket, and what is still to be sent on it.
    static final class Side {
        final List<Event> events = new ArrayList<>();
        final ByteArrayOutputStream received = new ByteArrayOutputStream();
        final ArrayDeque<byte[]> outbox = new ArrayDeque<>();

        @Nullable
        Failure failure;

        String detail = "";
        long sent;
        long inFlight;

        boolean saw(Event event) {
            return events.contains(event);
        }
    }

    Side side(int socket) {
        return sides.computeIfAbsent(socket, _ -> new Side());
    }

    SocketAddress local(int socket) {
        return transport.addresses(socket).local();
    }

    SocketAddress remote(int socket) {
        return transport.addresses(socket).remote();
    }

    /// From whatever address the system chooses.
    int connect(SocketAddress to, SocketOptions options) throws IOException {
        return transport.connect(to, null, options);
    }

    boolean poll(long timeoutNanos) {
        return transport.poll(timeoutNanos, this);
    }

    /// Sends it behind what waits to be sent already.
    void write(int socket, byte[] bytes) {
        side(socket).outbox.add(bytes);
        flush(socket);
    }

    boolean isSending(int socket) {
        return side(socket).inFlight > 0 || !side(socket).outbox.isEmpty();
    }

    /// Sends a chain now; false when part of it waits.
    boolean send(int socket, Chain chain) {
        var side = side(socket);
        assertEquals(0, side.inFlight, "one send at a time");
        long size = chain.size();
        if (transport.send(socket, chain)) {
            side.sent += size;
            return true;
        }
        side.inFlight = size;
        return false;
    }

    /// Bytes as a chain of as few slabs as the pool makes of them.
    Chain chain(byte[] bytes) {
        var out = output();
        out.write(bytes, 0, bytes.length);
        return out.chain();
    }

    /// Bytes as a chain of slabs of `length` bytes each.
    Chain chainOfPieces(byte[] bytes, int length) {
        var chain = new Chain();
        for (int at = 0; at < bytes.length; at += length) {
            var piece = output();
            piece.write(bytes, at, Math.min(length, bytes.length - at));
            chain.appendAll(piece.chain());
        }
        return chain;
    }

    LoopOutput output() {
        return new LoopOutput(pool, Long.MAX_VALUE, new LoopOutput.Watcher() {
            @Override
            public void outputBegan() {}

            @Override
            public void outputIsFull() {}
        });
    }

    byte[] received(int socket) {
        return side(socket).received.toByteArray();
    }

    private void flush(int socket) {
        var side = side(socket);
        while (side.inFlight == 0 && !side.outbox.isEmpty()) send(socket, chain(side.outbox.remove()));
    }

    private void record(int socket, Event event) {
        side(socket).events.add(event);
        reaction.accept(event, socket);
    }

    @Override
    public void awake() {}

    @Override
    public void accepted(int listener, Transport.Accepted connection) {
        accepted.add(connection);
        record(listener, Event.ACCEPTED);
    }

    @Override
    public void connected(int socket) {
        record(socket, Event.CONNECTED);
    }

    @Override
    public void received(int socket, Slab slab) {
        assertEquals(Slab.Owner.KERNEL, slab.owner());
        assertEquals(0, slab.start);
        assertTrue(slab.end > 0 && slab.end <= slab.capacity(), slab.end + " bytes");
        byte[] bytes = slab.memory.asSlice(0, slab.end).toArray(JAVA_BYTE);
        pool.give(slab, Slab.Owner.KERNEL);
        side(socket).received.writeBytes(bytes);
        record(socket, Event.RECEIVED);
    }

    @Override
    public void sent(int socket, long count, boolean done) {
        var side = side(socket);
        side.sent += count;
        side.inFlight -= count;
        assertEquals(done, side.inFlight == 0, "done with " + side.inFlight + " bytes in flight");
        if (done) flush(socket);
        record(socket, Event.SENT);
    }

    @Override
    public void ended(int socket) {
        assertFalse(side(socket).saw(Event.ENDED), "ends once");
        record(socket, Event.ENDED);
    }

    @Override
    public void failed(int socket, Failure kind, String detail) {
        side(socket).failure = kind;
        side(socket).detail = detail;
        record(socket, Event.FAILED);
    }

    @Override
    public void starved(int socket) {
        record(socket, Event.STARVED);
    }

    @Override
    public String toString() {
        var text = new StringBuilder(transport.name());
        sides.forEach((socket, side) -> text.append(" [")
                .append(Transport.index(socket))
                .append(": ")
                .append(side.events.subList(Math.max(0, side.events.size() - 8), side.events.size()))
                .append(' ')
                .append(side.received.size())
                .append(" in, ")
                .append(side.sent)
                .append(" out, ")
                .append(side.inFlight)
                .append(" in flight, ")
                .append(side.detail)
                .append(']'));
        return text.toString();
    }
}
