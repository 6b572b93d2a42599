package io.millrace.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.ByteOrder.BIG_ENDIAN;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Underflow;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// The loop's side of an [Input]: a chain that arrivals are appended to, of which the lent part is visible.
///
/// One object for each connection, lent again for each call. A read checks two things: `visible`, which is negative
/// when nothing is lent, and the loan's thread.
public final class LoopInput extends Input {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(BIG_ENDIAN);

    /// What `visible` is when nothing is lent: less than any length, so that the check a read makes anyway
    /// rejects even an empty one.
    private static final long NOT_LENT = -1;

    private static final String WHAT = "this Input";

    /// Up to this many bytes move to a small slab.
    private static final int COMPACT_BYTES = 1024;

    /// A large slab must not be pinned by less than a quarter of it.
    private static final int MOST_COMPACT_BYTES = SlabPool.LARGE / 4;

    /// A large slab with so much in it is as good as full.
    private static final int LEAST_FULL_BYTES = SlabPool.LARGE / 16 * 15;

    private final Chain chain = new Chain();
    private final Loan loan;
    private final boolean isBeside;
    private SlabSource source;
    private long visible = NOT_LENT;

    /// A connection's input, for the thread that has the connection.
    public LoopInput(SlabSource source, Loan loan) {
        this(source, loan, false);
    }

    /// An input beside a connection's, for the thread that lends it to itself.
    public LoopInput(SlabSource source) {
        this(source, Loan.beside(), true);
    }

    private LoopInput(SlabSource source, Loan loan, boolean isBeside) {
        this.source = source;
        this.loan = loan;
        this.isBeside = isBeside;
    }

    /// A value as an input that any thread may read at any time. It may be on the heap: moving it to an output
    /// copies it.
    public static LoopInput of(Bytes value) {
        var input = new LoopInput(Detached.POOL, Loan.ANYBODYS);
        if (value.length() > 0) input.append(Slab.referringTo(value.segment()), Slab.Owner.OUTPUT);
        input.lend(Detached.POOL);
        return input;
    }

    /// Takes back slabs that refer to a value, by forgetting them; never gives any.
    private static final class Detached {
        static final SlabPool POOL = new SlabPool(SlabPool.LEAST_CAP, false);
    }

    // The loop's side.

    /// Appends what arrived, at least one byte; the slab belongs to the input from now on, or was returned.
    public void append(Slab slab, Slab.Owner from) {
        chain.appendArrival(slab, from, source);
    }

    /// Appends a chain of input slabs.
    public void appendAll(Chain arrivals) {
        chain.appendArrivals(arrivals, source);
    }

    /// Appends everything that another input of this loop has.
    public void appendAll(LoopInput arrivals) {
        appendAll(arrivals.chain);
    }

    /// Appends everything that was written to an output of this loop, to be read.
    public void appendAll(LoopOutput written) {
        written.chain().pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
        appendAll(written.chain());
    }

    /// Lends everything here to a borrower that takes slabs from `source` and gives them back to it.
    public void lend(SlabSource source) {
        this.source = source;
        if (isBeside) loan.take();
        visible = chain.size();
    }

    /// Ends the loan: nothing can be read until the next one.
    public void endLoan(SlabSource source) {
        this.source = source;
        visible = NOT_LENT;
    }

    public boolean isLent() {
        return visible >= 0;
    }

    /// How many bytes are here, lent or not.
    public long size() {
        return chain.size();
    }

    /// Shows only the next `length` bytes, a frame; returns what [#widen] needs to undo it.
    public long narrow(long length) {
        require(length);
        long hidden = visible - length;
        visible = length;
        return hidden;
    }

    /// Shows again what [#narrow] hid; nothing when the loan is over or the connection has closed meanwhile.
    public void widen(long hidden) {
        if (visible >= 0) visible = Math.min(visible + hidden, chain.size());
    }

    /// Everything visible as a chain for an output; whole slabs, so it must be the whole input.
    public Chain takeAll() {
        if (visible != chain.size()) throw new IllegalStateException("part of an input cannot be taken as slabs");
        var taken = LoopOutput.aside(source);
        taken.move(this);
        return taken.chain();
    }

    /// Moves a few bytes left in large slabs to a small one, so that an idle connection pins little memory; while
    /// memory is tight, moves anything below a quarter of a large slab to several small ones.
    public void compact() {
        long size = chain.size();
        if (size == 0 || size > MOST_COMPACT_BYTES) return;
        if (size > COMPACT_BYTES && !source.isTight()) return;
        boolean isCompact = !chain.hasLarge() && (size > COMPACT_BYTES || chain.count() == 1);
        if (isCompact) return;
        var compacted = new Chain();
        while (!chain.isEmpty() && hasRoom(compacted)) moveSome(compacted);
        compacted.appendAll(chain);
        chain.appendAll(compacted);
    }

    /// Memory that large slabs here keep beyond the bytes in them, but for those that are nearly full.
    public long slackBytes() {
        long slack = 0;
        for (var slab = chain.head(); slab != null; slab = slab.next)
            if (isLoose(slab)) slack += slab.capacity() - slab.readable();
        return slack;
    }

    /// Moves what lies in large slabs to small ones, which it fills; what lies in slabs that are nearly full stays,
    /// and everything while there are no small ones. What waits here then takes little more memory than it has
    /// bytes.
    public void pack() {
        var packed = new Chain();
        while (!chain.isEmpty()) {
            if (!isLoose(head())) packed.append(chain.removeHead());
            else if (hasRoom(packed)) moveSome(packed);
            else break;
        }
        packed.appendAll(chain);
        chain.appendAll(packed);
    }

    private static boolean isLoose(Slab slab) {
        return slab.isLarge() && slab.readable() < LEAST_FULL_BYTES;
    }

    private boolean hasRoom(Chain small) {
        var tail = small.tail();
        if (tail != null && tail.room() > 0) return true;
        var next = source.takeSmall(Slab.Owner.INPUT);
        if (next == null) return false;
        small.append(next);
        return true;
    }

    private void moveSome(Chain to) {
        var from = head();
        var tail = to.tail();
        assert tail != null;
        int length = Math.min(from.readable(), tail.room());
        MemorySegment.copy(from.memory, from.start, tail.memory, tail.end, length);
        tail.end += length;
        to.grew(length);
        chain.drop(length, Slab.Owner.INPUT, source);
    }

    /// Views of the next bytes in place, for a part of the JDK that reads them at once and keeps no reference.
    ///
    /// @param to gets the buffers
    /// @return how many buffers there are, or 0 when `to` has no room for all
    public int view(int length, ByteBuffer[] to) {
        require(length);
        int count = 0;
        for (var slab = head(); length > 0; ) {
            if (count == to.length) return 0;
            int part = Math.min(length, slab.readable());
            to[count++] = slab.view().clear().position(slab.start).limit(slab.start + part);
            length -= part;
            if (length > 0) slab = after(slab);
        }
        return count;
    }

    /// Gives every slab back.
    public void release() {
        visible = Math.min(visible, 0);
        chain.releaseAll(Slab.Owner.INPUT, source);
    }

    /// Takes out the first slab, all of which is visible; the caller owns it.
    Slab takeHead() {
        visible -= head().readable();
        return chain.removeHead();
    }

    /// The slab with the first byte, which exists, for code of ours that reads bytes where they lie, or changes them
    /// there; of it and those [#after] it, only as much is the caller's as can be read.
    public Slab head() {
        return chain.first();
    }

    /// The slab with the bytes behind those of a slab; there are some.
    public static Slab after(Slab slab) {
        var next = slab.next;
        if (next == null) throw new IllegalStateException("it changed while it was read: two threads use it");
        return next;
    }

    // The borrower's side.

    @Override
    public long remaining() {
        return Math.max(0, visible);
    }

    @Override
    public byte peekByte(long at) {
        requireAt(at, 1);
        var slab = head();
        while (at >= slab.readable()) {
            at -= slab.readable();
            slab = after(slab);
        }
        return slab.memory.get(JAVA_BYTE, slab.start + at);
    }

    @Override
    public short peekShort(long at) {
        requireAt(at, Short.BYTES);
        var head = head();
        if (at + Short.BYTES <= head.readable()) return head.memory.get(SHORT, head.start + at);
        return (short) peekAcross(at, Short.BYTES);
    }

    @Override
    public int peekInt(long at) {
        requireAt(at, Integer.BYTES);
        var head = head();
        if (at + Integer.BYTES <= head.readable()) return head.memory.get(INT, head.start + at);
        return (int) peekAcross(at, Integer.BYTES);
    }

    @Override
    public long peekLong(long at) {
        requireAt(at, Long.BYTES);
        var head = head();
        if (at + Long.BYTES <= head.readable()) return head.memory.get(LONG, head.start + at);
        return peekAcross(at, Long.BYTES);
    }

    @Override
    public byte readByte() {
        byte value = peekByte(0);
        consume(1);
        return value;
    }

    @Override
    public short readShort() {
        short value = peekShort(0);
        consume(Short.BYTES);
        return value;
    }

    @Override
    public int readInt() {
        int value = peekInt(0);
        consume(Integer.BYTES);
        return value;
    }

    @Override
    public long readLong() {
        long value = peekLong(0);
        consume(Long.BYTES);
        return value;
    }

    @Override
    public String readUtf8(long length) {
        require(length);
        var bytes = new byte[arrayLength(length)];
        read(bytes, 0, bytes.length);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public Bytes readBytes(long length) {
        require(length);
        if (length == 0) return Bytes.EMPTY;
        var head = head();
        Bytes value;
        if (length <= head.readable()) {
            value = Bytes.copyOf(head.memory.asSlice(head.start, length));
        } else {
            value = Bytes.copyOf(parts(arrayLength(length)));
        }
        consume(length);
        return value;
    }

    @Override
    public void read(byte[] to, int offset, int length) {
        java.util.Objects.checkFromIndexSize(offset, length, to.length);
        require(length);
        while (length > 0) {
            var head = head();
            int part = Math.min(length, head.readable());
            MemorySegment.copy(head.memory, JAVA_BYTE, head.start, to, offset, part);
            consume(part);
            offset += part;
            length -= part;
        }
    }

    @Override
    public void peek(long at, byte[] to, int offset, int length) {
        java.util.Objects.checkFromIndexSize(offset, length, to.length);
        requireAt(at, length);
        if (length == 0) return;
        var slab = head();
        while (at >= slab.readable()) {
            at -= slab.readable();
            slab = after(slab);
        }
        while (true) {
            int part = (int) Math.min(length, slab.readable() - at);
            MemorySegment.copy(slab.memory, JAVA_BYTE, slab.start + at, to, offset, part);
            offset += part;
            length -= part;
            if (length == 0) return;
            at = 0;
            slab = after(slab);
        }
    }

    @Override
    public void skip(long length) {
        require(length);
        consume(length);
    }

    @Override
    public long indexOf(byte wanted, long from) {
        if (from < 0 || visible < 0) throw refusal(from, 0);
        loan.require(WHAT);
        long before = 0;
        for (var slab = chain.head(); slab != null && before < visible; slab = slab.next) {
            int length = (int) Math.min(slab.readable(), visible - before);
            if (from < before + length) {
                int begin = slab.start + (int) Math.max(0, from - before);
                int found = Scan.indexOf(slab.memory, begin, slab.start + length, wanted);
                if (found >= 0) return before + found - slab.start;
            }
            before += length;
        }
        return -1;
    }

    @Override
    public long indexOf(Bytes wanted, long from) {
        if (from < 0 || visible < 0) throw refusal(from, 0);
        loan.require(WHAT);
        if (wanted.length() == 0) return from <= visible ? from : -1;
        long before = 0;
        for (var slab = chain.head(); slab != null && before < visible; slab = slab.next) {
            if (from < before + slab.readable()) {
                int begin = slab.start + (int) (from - before);
                long found = Scan.indexOf(slab, begin, visible - from, wanted);
                return found < 0 ? -1 : from + found;
            }
            before += slab.readable();
        }
        return -1;
    }

    /// Moves on; the bytes are known to be visible. A slab read to its end is returned at once.
    void consume(long length) {
        visible -= length;
        var head = chain.head();
        if (head != null && length < head.readable()) {
            head.start += (int) length;
            chain.shrank((int) length);
        } else {
            chain.drop(length, Slab.Owner.INPUT, source);
        }
    }

    void require(long length) {
        if (length < 0 || length > visible) throw refusal(0, length);
        loan.require(WHAT);
    }

    private void requireAt(long at, int length) {
        if (at < 0 || at > visible - length) throw refusal(at, length);
        loan.require(WHAT);
    }

    private RuntimeException refusal(long at, long length) {
        if (visible < 0) {
            return new IllegalStateException("this Input was lent to you until you returned (callback) or read again "
                    + "(direct style), and that is over: keep bytes with readBytes or readUtf8");
        }
        loan.require(WHAT);
        if (at < 0) return new IndexOutOfBoundsException("the position " + at + " is negative");
        if (length < 0) return new IndexOutOfBoundsException("a length of " + length + " is negative");
        return new Underflow("needed " + length + " bytes at " + at + ", the input has " + visible);
    }

    private long peekAcross(long at, int length) {
        var slab = head();
        long value = 0;
        for (int i = 0; i < length; i++, at++) {
            while (at >= slab.readable()) {
                at -= slab.readable();
                slab = after(slab);
            }
            value = (value << 8) | (slab.memory.get(JAVA_BYTE, slab.start + at) & 0xff);
        }
        return value;
    }

    private MemorySegment[] parts(int length) {
        var parts = new java.util.ArrayList<MemorySegment>();
        for (var slab = head(); length > 0; ) {
            int part = Math.min(length, slab.readable());
            parts.add(slab.memory.asSlice(slab.start, part));
            length -= part;
            if (length > 0) slab = after(slab);
        }
        return parts.toArray(MemorySegment[]::new);
    }

    private static int arrayLength(long length) {
        if (length > Integer.MAX_VALUE - 8)
            throw new IllegalArgumentException(length + " bytes are too many for an " + "array");
        return (int) length;
    }
}
