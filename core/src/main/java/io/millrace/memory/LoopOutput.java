package io.millrace.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.ByteOrder.BIG_ENDIAN;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;

/// The loop's side of an [Output]: a chain that goes to the transport when the turn ends.
///
/// A write takes a small slab, and when that is full a large one: a short response, or a header between blocks that
/// were moved or referred to, costs 2 KiB; bulk needs few entries in the gathering write. While memory is tight,
/// what fills less than a quarter of a large slab goes to small ones. Writing into the rest of a slab that was
/// moved here is fine, because it has one owner.
public final class LoopOutput extends Output {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(BIG_ENDIAN);

    /// Copying less is always cheaper than one more entry in a gathering write.
    private static final int LEAST_SHARED = 1024;

    /// Told what happens here.
    public interface Watcher {
        /// The first byte was written to an empty output, which now has to be sent.
        void outputBegan();

        /// The output holds more than its mark; the watcher may send, park or throw [io.millrace.bytes.Overflow].
        /// Small writes notice it when their slab is full.
        void outputIsFull();
    }

    private static final Watcher NOBODY = new Watcher() {
        @Override
        public void outputBegan() {}

        @Override
        public void outputIsFull() {}
    };

    private static final String WHAT = "this Output";

    private final Chain chain = new Chain();
    private final Watcher watcher;
    private final Loan loan;
    private final boolean isBeside;
    private SlabSource source;
    private long markBytes;
    private @Nullable OpenFrame frame;

    /// A connection's output, for the thread that has the connection.
    public LoopOutput(SlabSource source, long markBytes, Watcher watcher, Loan loan) {
        this(source, markBytes, watcher, loan, false);
    }

    /// An output beside a connection's, for the thread that sets its slab source.
    public LoopOutput(SlabSource source, long markBytes, Watcher watcher) {
        this(source, markBytes, watcher, Loan.beside(), true);
    }

    private LoopOutput(SlabSource source, long markBytes, Watcher watcher, Loan loan, boolean isBeside) {
        this.source = source;
        this.markBytes = markBytes;
        this.watcher = watcher;
        this.loan = loan;
        this.isBeside = isBeside;
    }

    /// An output beside a connection's, to build something before it is sent.
    public static LoopOutput aside(SlabSource source) {
        return new LoopOutput(source, Long.MAX_VALUE, NOBODY);
    }

    /// A value's memory outside the heap, where it is copied if need be; null when there is none.
    static @Nullable MemorySegment outsideHeap(Bytes value) {
        return toShare(value, true);
    }

    // The loop's side.

    /// What was written; the loop takes slabs out of it.
    public Chain chain() {
        return chain;
    }

    /// From now on slabs come from here: a borrower on another thread uses the reserve.
    public void drawFrom(SlabSource source) {
        this.source = source;
        if (isBeside) loan.take();
    }

    /// Where slabs come from now: the thread that has this output on loan takes slabs for its own outputs there,
    /// too.
    public SlabSource source() {
        return source;
    }

    public void mark(long markBytes) {
        this.markBytes = markBytes;
    }

    public void release() {
        chain.releaseAll(Slab.Owner.OUTPUT, source);
    }

    /// The frame that is being written, one at a time.
    public OpenFrame frame() {
        loan.require(WHAT);
        var open = frame;
        if (open == null) frame = open = new OpenFrame(this);
        return open;
    }

    /// Drops what was written after the first `size` bytes.
    void truncate(long size) {
        chain.truncate(size, Slab.Owner.OUTPUT, source);
    }

    /// A copy of everything, as a value.
    public Bytes toBytes() {
        var parts = new MemorySegment[chain.count()];
        int count = 0;
        for (var slab = chain.head(); slab != null; slab = slab.next) {
            parts[count++] = slab.memory.asSlice(slab.start, slab.readable());
        }
        return Bytes.copyOf(parts);
    }

    // The writer's side.

    @Override
    public long size() {
        return chain.size();
    }

    @Override
    public Output writeByte(int value) {
        loan.require(WHAT);
        var tail = tailWithRoom(1);
        tail.memory.set(JAVA_BYTE, tail.end, (byte) value);
        return wrote(tail, 1);
    }

    @Override
    public Output writeShort(int value) {
        loan.require(WHAT);
        var tail = tailWithRoom(Short.BYTES);
        tail.memory.set(SHORT, tail.end, (short) value);
        return wrote(tail, Short.BYTES);
    }

    @Override
    public Output writeInt(int value) {
        loan.require(WHAT);
        var tail = tailWithRoom(Integer.BYTES);
        tail.memory.set(INT, tail.end, value);
        return wrote(tail, Integer.BYTES);
    }

    @Override
    public Output writeLong(long value) {
        loan.require(WHAT);
        var tail = tailWithRoom(Long.BYTES);
        tail.memory.set(LONG, tail.end, value);
        return wrote(tail, Long.BYTES);
    }

    @Override
    public Output write(Bytes bytes) {
        loan.require(WHAT);
        if (bytes.length() < LEAST_SHARED) return copy(bytes.segment(), 0, bytes.length());
        var memory = frame != null && frame.mustOwn() ? null : toShare(bytes, source.isTight());
        if (memory == null) copy(bytes.segment(), 0, bytes.length());
        else append(Slab.referringTo(memory));
        return checked();
    }

    @Override
    public Output write(byte[] from, int offset, int length) {
        java.util.Objects.checkFromIndexSize(offset, length, from.length);
        loan.require(WHAT);
        // Not through a segment of the array: that would be allocated.
        while (length > 0) {
            var tail = tailFor(length);
            int part = Math.min(length, tail.room());
            MemorySegment.copy(from, offset, tail.memory, JAVA_BYTE, tail.end, part);
            wrote(tail, part);
            offset += part;
            length -= part;
        }
        return this;
    }

    @Override
    public int write(ReadableByteChannel from, int most) throws IOException {
        if (most < 1) throw new IllegalArgumentException("at most " + most + " bytes: take 1 or more");
        loan.require(WHAT);
        checked();
        // Not yet part of this output: the channel may write to this, or drop its connection.
        var slab = source.take(isBulk(most), Slab.Owner.OUTPUT);
        try {
            int said = slab.fillFrom(from, most);
            return slab.readable() > 0 ? slab.readable() : Math.min(said, 0);
        } catch (Throwable e) {
            slab.end = 0;
            throw e;
        } finally {
            add(slab);
        }
    }

    /// A part of the JDK that writes into a buffer, and keeps no reference to it.
    public interface Filler {
        void fill(ByteBuffer room) throws IOException;
    }

    /// Lets `filler` write in place, unless copying its bytes after what is here is better.
    ///
    /// @param least bytes of room that it needs
    /// @return how many bytes it wrote; −1 when there is not that much room, and it was not called
    public int fill(int least, Filler filler) throws IOException {
        loan.require(WHAT);
        var tail = chain.tail();
        if (tail != null && tail.room() >= least) {
            int length = fill(tail, filler);
            wrote(tail, length);
            return length;
        }
        boolean isBegun = tail != null && tail.room() > 0;
        if (isBegun || source.isTight() || least > SlabPool.LARGE) return -1;
        checked();
        // Not part of this output while it is empty.
        var slab = source.take(true, Slab.Owner.OUTPUT);
        try {
            if (slab.room() < least) return -1;
            int length = fill(slab, filler);
            slab.end += length;
            return length;
        } finally {
            add(slab);
        }
    }

    private static int fill(Slab slab, Filler filler) throws IOException {
        var room = slab.view().clear().position(slab.end);
        filler.fill(room);
        return room.position() - slab.end;
    }

    /// Adds a slab of this output's source: the slab itself, or a copy after the last one, and then it is returned.
    private void add(Slab slab) {
        int length = slab.readable();
        if (length > 0 && !chain.hasRoomForCopy(length)) {
            append(slab);
            return;
        }
        copy(slab.memory, slab.start, length);
        source.give(slab, Slab.Owner.OUTPUT);
    }

    @Override
    public Output move(Input in, long length) {
        loan.require(WHAT);
        var from = (LoopInput) in;
        from.require(length);
        while (length > 0) {
            int readable = from.head().readable();
            boolean isWhole = readable <= length;
            int part = isWhole ? readable : (int) length;
            if (isWhole && !from.head().isOnHeap() && !chain.hasRoomForCopy(part)) {
                var slab = from.takeHead();
                slab.pass(Slab.Owner.INPUT, Slab.Owner.OUTPUT);
                append(slab);
            } else {
                var head = from.head();
                copy(head.memory, head.start, part);
                from.consume(part);
            }
            length -= part;
        }
        return checked();
    }

    /// Appends a chain of output slabs.
    public void appendAll(Chain more) {
        for (var slab = more.head(); slab != null; slab = more.head()) {
            int length = slab.readable();
            if (chain.hasRoomForCopy(length)) {
                copy(slab.memory, slab.start, length);
                more.drop(length, Slab.Owner.OUTPUT, source);
            } else {
                append(more.removeHead());
            }
        }
        checked();
    }

    private Output copy(MemorySegment from, long offset, int length) {
        while (length > 0) {
            var tail = tailFor(length);
            int part = Math.min(length, tail.room());
            MemorySegment.copy(from, offset, tail.memory, tail.end, part);
            wrote(tail, part);
            offset += part;
            length -= part;
        }
        return this;
    }

    /// A slab with room for some of `length` bytes.
    private Slab tailFor(int length) {
        var tail = chain.tail();
        return tail != null && tail.room() > 0 ? tail : newTail(length);
    }

    /// A slab with room for all of `length` bytes, which are few.
    Slab tailWithRoom(int length) {
        var tail = chain.tail();
        return tail != null && tail.room() >= length ? tail : newTail(length);
    }

    private Slab newTail(int length) {
        checked();
        var slab = source.take(isBulk(length), Slab.Owner.OUTPUT);
        append(slab);
        return slab;
    }

    private boolean isBulk(int length) {
        if (source.isTight()) return length > SlabPool.LARGE / 4;
        var tail = chain.tail();
        return length > SlabPool.SMALL || (tail != null && tail.isSmall());
    }

    private void append(Slab slab) {
        if (chain.isEmpty()) watcher.outputBegan();
        chain.append(slab);
    }

    private Output wrote(Slab tail, int length) {
        tail.end += length;
        chain.grew(length);
        return this;
    }

    Output checked() {
        if (chain.size() > markBytes && (frame == null || !frame.isOpen())) watcher.outputIsFull();
        return this;
    }
}
