package io.millrace.http.h2;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Decodes the blocks of fields of a connection, one after the other, in the order in which they arrive, on the
/// connection's loop. After an error it must not be used any more.
///
/// ```
///   1 bit   1: indexed          index in 7 bits
///   2 bits  01: literal         name's index in 6 bits, or 0; enters the table
///   3 bits  001: table size     size in 5 bits
///   4 bits  000x: literal       name's index in 4 bits, or 0; does not enter the table, nor any on the way if x is 1
/// ```
public final class HpackDecoder {
    /// Receives the fields of a block.
    public interface Fields {
        /// Takes a field.
        ///
        /// @return whether further fields are wanted; if not, the rest of the block is decoded for the table
        ///         alone, and literals that do not enter it become no text
        boolean add(HpackField field);
    }

    /// The setting that both sides begin with (RFC 9113 section 6.5.2).
    public static final int DEFAULT_TABLE_BYTES = 4096;

    static final int INDEXED = 0x80;
    static final int INDEXED_BITS = 7;
    static final int ENTERING = 0x40;
    static final int ENTERING_BITS = 6;
    static final int SIZE = 0x20;
    static final int SIZE_BITS = 5;
    static final int LITERAL_BITS = 4;

    /// A literal that no table on the way must keep.
    static final int NEVER = 0x10;

    private static final int MOST_SIZES = 2;
    static final String THIRD_SIZE = "a third table size";

    private static final int NONE = Integer.MAX_VALUE;
    private static final int FEW = 8;
    private static final HpackField[] NO_FIELDS = {};

    /// The largest size that the peer may choose.
    private int mostTableBytes;

    /// The largest size that the next block must begin with; or [#NONE] if it need not choose one.
    private int requiredBytes = NONE;

    /// The size that the peer has chosen.
    private int tableBytes;

    /// A ring, whose length is a power of two; made when something enters the table.
    private @Nullable HpackField[] ring = NO_FIELDS;

    /// Where in the ring the newest entry is; the older ones follow.
    private int newest;

    private int count;

    /// Of all entries.
    private int bytes;

    /// @param mostTableBytes that the peer may use before it acknowledges a setting: 4096
    public HpackDecoder(int mostTableBytes) {
        this.mostTableBytes = mostTableBytes;
        this.tableBytes = Math.min(DEFAULT_TABLE_BYTES, mostTableBytes);
    }

    /// The peer has acknowledged a setting: if it uses more than this, its next block must begin with a smaller size
    /// (RFC 7541 section 4.2).
    void acknowledged(int mostTableBytes) {
        this.mostTableBytes = mostTableBytes;
        if (mostTableBytes < tableBytes) requiredBytes = Math.min(requiredBytes, mostTableBytes);
    }

    /// Decodes a whole block.
    ///
    /// @param scratch belongs to the loop
    /// @throws HpackError if the block breaks RFC 7541; some fields may have been given already
    public void decode(byte[] block, int from, int to, HpackScratch scratch, Fields into) throws HpackError {
        scratch.begin(block, from, to);
        try {
            decode(scratch, into);
        } finally {
            scratch.end();
        }
    }

    private void decode(HpackScratch in, Fields into) throws HpackError {
        boolean isWanted = true;
        int first = beginning(in);
        while (first >= 0) {
            HpackField field;
            if ((first & INDEXED) != 0) {
                field = field(in.integer(first, INDEXED_BITS));
            } else if ((first & ENTERING) != 0) {
                field = literal(in, in.integer(first, ENTERING_BITS));
                enter(field);
            } else if ((first & SIZE) != 0) {
                throw new HpackError("a table size behind a field");
            } else {
                int index = in.integer(first, LITERAL_BITS);
                field = isWanted ? literal(in, index) : skipped(in, index);
                if (isWanted && (first & NEVER) != 0) field = field.neverIndexed();
            }
            if (isWanted) isWanted = into.add(field);
            first = in.hasMore() ? in.nextByte() : -1;
        }
    }

    /// Reads the sizes that a block begins with.
    ///
    /// @return the first byte behind them, or -1 if there is none
    private int beginning(HpackScratch in) throws HpackError {
        for (int sizes = 0; in.hasMore(); sizes++) {
            int first = in.nextByte();
            if (first >>> SIZE_BITS != SIZE >>> SIZE_BITS) {
                checkRequired();
                return first;
            }
            if (sizes == MOST_SIZES) throw new HpackError(THIRD_SIZE);
            resize(in.integer(first, SIZE_BITS));
        }
        checkRequired();
        return -1;
    }

    private void checkRequired() throws HpackError {
        if (requiredBytes == NONE) return;
        throw new HpackError("a block that does not begin with a table size of at most " + requiredBytes);
    }

    private void resize(int size) throws HpackError {
        if (size > mostTableBytes) throw new HpackError("a table size of " + size + ", above " + mostTableBytes);
        if (size <= requiredBytes) requiredBytes = NONE;
        tableBytes = size;
        evictTo(size);
    }

    private HpackField literal(HpackScratch in, int nameIndex) throws HpackError {
        if (nameIndex != 0) return new HpackField(field(nameIndex), in.text());
        var name = in.text();
        return new HpackField(name, in.text());
    }

    /// Skips a literal.
    ///
    /// @return any field
    private HpackField skipped(HpackScratch in, int nameIndex) throws HpackError {
        var named = field(nameIndex == 0 ? 1 : nameIndex);
        if (nameIndex == 0) in.skipText();
        in.skipText();
        return named;
    }

    // The table.

    private HpackField field(int index) throws HpackError {
        if (index == 0) throw new HpackError("an index of 0");
        if (index <= HpackStatic.COUNT) return HpackStatic.field(index);
        int age = index - HpackStatic.COUNT - 1;
        var field = age < count ? ring[newest + age & ring.length - 1] : null;
        if (field == null) throw new HpackError("an index of " + index + ", beyond the table's " + count + " entries");
        return field;
    }

    /// A field that is larger than the table empties it.
    private void enter(HpackField field) {
        evictTo(Math.max(0, tableBytes - field.bytes));
        if (field.bytes > tableBytes) return;
        if (count == ring.length) grow();
        newest = newest - 1 & ring.length - 1;
        ring[newest] = field;
        count++;
        bytes += field.bytes;
    }

    private void evictTo(int mostBytes) {
        while (bytes > mostBytes) {
            count--;
            int oldest = newest + count & ring.length - 1;
            var evicted = ring[oldest];
            if (evicted != null) bytes -= evicted.bytes;
            ring[oldest] = null;
        }
    }

    private void grow() {
        var larger = Arrays.copyOf(ring, Math.max(FEW, 2 * ring.length));
        // From the newest one on.
        for (int age = 0; age < count; age++) larger[age] = ring[newest + age & ring.length - 1];
        ring = larger;
        newest = 0;
    }

    /// What the entries count for.
    int bytes() {
        return bytes;
    }
}
