package io.millrace.http.ws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A reader with its input, and what it has said: `text hi`, `bytes 0102`, `ping 00`, `pong 00`, `close 1000 bye`,
/// `error 1002`. Closing it asserts that all slabs came home.
final class ReadFrames implements WsSink, AutoCloseable {
    final SlabPool pool;
    final List<String> events = new ArrayList<>();
    final WsReader reader;

    /// Read, and left in the input.
    private final LoopInput in;

    private final WholeMessage message = new WholeMessage();
    private long nowNanos;
    private int parts;
    private long longestPartBytes;
    private String why = "";

    /// @param pool which may serve many, one after the other
    ReadFrames(SlabPool pool, boolean isServer, WsLimits limits, @Nullable MessageInflater inflater) {
        this.pool = pool;
        this.in = new LoopInput(pool);
        this.reader = new WsReader(limits, isServer, inflater, this, nowNanos);
        in.lend(pool);
    }

    static ReadFrames ofServer() {
        return ofServer(WsLimits.standard());
    }

    static ReadFrames ofServer(WsLimits limits) {
        return of(true, limits, null);
    }

    static ReadFrames of(boolean isServer, WsLimits limits, @Nullable MessageInflater inflater) {
        return new ReadFrames(new SlabPool(64 << 20, true), isServer, limits, inflater);
    }

    /// What a server says to these bytes, which arrive in one piece.
    static List<String> byServer(byte[]... bytes) {
        try (var read = ofServer()) {
            read.arrive(RawFrame.all(bytes));
            return List.copyOf(read.events);
        }
    }

    /// The time that the reader is told from now on.
    void pass(long nanos) {
        nowNanos += nanos;
    }

    int parts() {
        return parts;
    }

    long longestPartBytes() {
        return longestPartBytes;
    }

    /// Why the last one was refused.
    String why() {
        return why;
    }

    boolean isCut() {
        return reader.isInMessage(in);
    }

    /// Arrives in pieces that end at these places, each in a slab of its own.
    void arrive(byte[] bytes, int... cuts) {
        int from = 0;
        for (int cut : cuts) {
            piece(bytes, from, cut);
            from = cut;
        }
        piece(bytes, from, bytes.length);
    }

    /// Arrives at once, however much it is.
    void arriveWhole(byte[] bytes) {
        in.endLoan(pool);
        var all = LoopOutput.aside(pool);
        all.write(bytes, 0, bytes.length);
        in.appendAll(all);
        all.release();
        in.lend(pool);
        read();
    }

    private void piece(byte[] bytes, int from, int to) {
        for (int at = from; at < to && !isOver(); ) {
            var slab = Objects.requireNonNull(pool.takeForReceive());
            int length = Math.min(to - at, slab.capacity());
            // It ends where the slab ends, so that nothing joins it there.
            slab.end = slab.capacity();
            slab.start = slab.end - length;
            MemorySegment.copy(bytes, at, slab.memory, ValueLayout.JAVA_BYTE, slab.start, length);
            in.append(slab, Slab.Owner.KERNEL);
            at += length;
        }
        in.lend(pool);
        if (!isOver()) read();
        in.endLoan(pool);
        in.compact();
        in.lend(pool);
    }

    private void read() {
        try {
            while (reader.next(in, pool, nowNanos)) {
                // The next one.
            }
        } catch (WsError e) {
            why = String.valueOf(e.getMessage());
            events.add("error " + e.code());
            assertTrue(WsCodes.mayBeSent(e.code()));
        }
    }

    boolean isOver() {
        return !events.isEmpty() && events.getLast().startsWith("error");
    }

    @Override
    public void part(boolean isText, LoopInput part, boolean isLast) throws WsError {
        parts++;
        longestPartBytes = Math.max(longestPartBytes, part.remaining());
        assertTrue(isLast || !part.isEmpty(), "an empty part");
        if (!isLast) message.add(part, pool);
        else if (isText) events.add("text " + message.text(part, pool));
        else events.add("bytes " + hex(message.bytes(part, pool)));
    }

    @Override
    public void ping(Bytes payload) {
        events.add("ping " + hex(payload));
    }

    @Override
    public void pong(Bytes payload) {
        events.add("pong " + hex(payload));
    }

    @Override
    public void close(int code, String reason) {
        events.add("close " + code + (reason.isEmpty() ? "" : " " + reason));
    }

    static String hex(Bytes bytes) {
        return HexFormat.of().formatHex(bytes.toArray());
    }

    static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        reader.release(pool);
        message.release(pool);
        in.release();
        assertEquals(0, pool.bytesOut(), "bytes of slabs that did not come home");
        assertEquals(0, MessageInflater.EACH_MESSAGE.inUse(), "inflaters that did not come home");
        assertEquals(0, MessageDeflater.EACH_MESSAGE.inUse(), "deflaters that did not come home");
    }
}
