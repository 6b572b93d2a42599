package io.millrace.http.h2;

import static io.millrace.http.h2.HpackDecoder.ENTERING;
import static io.millrace.http.h2.HpackDecoder.ENTERING_BITS;
import static io.millrace.http.h2.HpackDecoder.INDEXED;
import static io.millrace.http.h2.HpackDecoder.INDEXED_BITS;
import static io.millrace.http.h2.HpackDecoder.LITERAL_BITS;
import static io.millrace.http.h2.HpackDecoder.NEVER;
import static io.millrace.http.h2.HpackDecoder.SIZE;
import static io.millrace.http.h2.HpackDecoder.SIZE_BITS;

import io.millrace.http.Headers;
import io.millrace.http.h2.HpackName.Indexing;
import org.jspecify.annotations.Nullable;

/// Encodes the blocks of fields of a connection, one after the other, on the connection's loop. Whatever is encoded
/// must be sent, and in this order, because the peer's table follows.
///
/// Fields that are likely to repeat enter the table; those with another value each time do not, and secrets never
/// do ([HpackName]). A name that is not known is taken to repeat its value, until it comes with another one.
public final class HpackEncoder {
    /// More is not used, whatever the peer offers.
    private static final int MOST_TABLE_BYTES = HpackDecoder.DEFAULT_TABLE_BYTES;

    /// The longest value of a name that is not known that enters the table.
    private static final int MOST_UNKNOWN_BYTES = 64;

    private static final int SLOTS = 16;
    private static final @Nullable Entry[] NO_SLOTS = {};

    private static final int STATUS_INDEX = 8;
    private static final int STATUS_DIGITS = 3;

    /// The size that the peer's table has.
    private int announcedBytes = MOST_TABLE_BYTES;

    /// The size that it will have.
    private int tableBytes = MOST_TABLE_BYTES;

    /// The smallest size since the last block.
    private int smallestBytes = MOST_TABLE_BYTES;

    /// By name, newest first; made when something enters the table.
    private @Nullable Entry[] slots = NO_SLOTS;

    private @Nullable Entry oldest;
    private @Nullable Entry newest;

    /// How many have ever entered the table.
    private int entered;

    /// Of all entries.
    private int bytes;

    /// A field in the table.
    private static final class Entry {
        /// As it was spelled.
        final String name;

        final String value;

        /// What had [#entered] the table before.
        final int number;

        /// The one that entered next.
        @Nullable
        Entry newer;

        /// An older one in the same slot.
        @Nullable
        Entry next;

        Entry(String name, String value, int number, @Nullable Entry next) {
            this.name = name;
            this.value = value;
            this.number = number;
            this.next = next;
        }

        int index(int entered) {
            return HpackStatic.COUNT + entered - number;
        }

        int bytes() {
            return HpackField.bytes(name.length(), value.length());
        }
    }

    /// The peer's SETTINGS_HEADER_TABLE_SIZE, of which at most 4096 bytes are used; the next block begins with
    /// the new size.
    ///
    /// @param bytes without a sign, as in the setting
    public void tableLimit(int bytes) {
        tableBytes = Integer.compareUnsigned(bytes, MOST_TABLE_BYTES) < 0 ? bytes : MOST_TABLE_BYTES;
        smallestBytes = Math.min(smallestBytes, tableBytes);
        evictTo(smallestBytes);
    }

    /// Must be called at the beginning of each block.
    public void begin(HpackBlock out) {
        if (smallestBytes < announcedBytes && smallestBytes < tableBytes) out.integer(SIZE, SIZE_BITS, smallestBytes);
        if (smallestBytes < announcedBytes || tableBytes != announcedBytes) out.integer(SIZE, SIZE_BITS, tableBytes);
        announcedBytes = tableBytes;
        smallestBytes = tableBytes;
    }

    /// Appends the pseudo-field `:status`.
    ///
    /// @param status of three digits
    void status(int status, HpackBlock out) {
        int index = switch (status) {
            case 200 -> STATUS_INDEX;
            case 204 -> STATUS_INDEX + 1;
            case 206 -> STATUS_INDEX + 2;
            case 304 -> STATUS_INDEX + 3;
            case 400 -> STATUS_INDEX + 4;
            case 404 -> STATUS_INDEX + 5;
            case 500 -> STATUS_INDEX + 6;
            default -> 0;
        };
        if (index != 0) {
            out.integer(INDEXED, INDEXED_BITS, index);
            return;
        }
        out.integer(0, LITERAL_BITS, STATUS_INDEX);
        out.put(STATUS_DIGITS);
        out.put('0' + status / 100);
        out.put('0' + status / 10 % 10);
        out.put('0' + status % 10);
    }

    /// Appends a field, or a pseudo-field.
    ///
    /// @param name  in any case; it is sent in small letters
    /// @param value in ISO-8859-1, valid as it is
    public void field(String name, String value, HpackBlock out) {
        var entry = find(name, value);
        if (entry != null && entry.value.equals(value)) {
            out.integer(INDEXED, INDEXED_BITS, entry.index(entered));
            return;
        }
        var known = HpackName.of(name);
        int index = known == null ? 0 : known.indexOf(value);
        if (index != 0) {
            out.integer(INDEXED, INDEXED_BITS, index);
            return;
        }
        int nameIndex = known != null ? known.index : 0;
        if (nameIndex == 0 && entry != null) nameIndex = entry.index(entered);
        var indexing = known != null ? known.indexing : ofUnknown(entry, value);
        boolean isEntering =
                indexing == Indexing.DYNAMIC && HpackField.bytes(name.length(), value.length()) <= tableBytes / 2;
        if (isEntering) out.integer(ENTERING, ENTERING_BITS, nameIndex);
        else out.integer(indexing == Indexing.NEVER ? NEVER : 0, LITERAL_BITS, nameIndex);
        if (nameIndex == 0) out.name(name);
        out.text(value);
        if (isEntering) enter(name, value);
    }

    /// Appends one of these fields, and keeps the mark of its sender.
    void field(Headers from, int at, HpackBlock out) {
        boolean isSecret = from instanceof ReceivedFields received && received.isNeverIndexed(at);
        if (isSecret) secret(from.name(at), from.value(at), out);
        else field(from.name(at), from.value(at), out);
    }

    private static void secret(String name, String value, HpackBlock out) {
        var known = HpackName.of(name);
        int nameIndex = known == null ? 0 : known.index;
        out.integer(NEVER, LITERAL_BITS, nameIndex);
        if (nameIndex == 0) out.name(name);
        out.text(value);
    }

    private static Indexing ofUnknown(@Nullable Entry withSameName, String value) {
        boolean isLikelyToRepeat = withSameName == null && value.length() <= MOST_UNKNOWN_BYTES;
        return isLikelyToRepeat ? Indexing.DYNAMIC : Indexing.WITHOUT;
    }

    // The table.

    /// The entry with this name and value; if there is none, one with this name.
    private @Nullable Entry find(String name, String value) {
        if (oldest == null) return null;
        Entry named = null;
        for (var entry = slots[slot(name)]; entry != null; entry = entry.next) {
            if (!entry.name.equals(name)) continue;
            if (entry.value.equals(value)) return entry;
            if (named == null) named = entry;
        }
        return named;
    }

    private static int slot(String name) {
        int hash = name.hashCode();
        return (hash ^ hash >>> 4) & SLOTS - 1;
    }

    private void enter(String name, String value) {
        if (slots.length == 0) slots = new Entry[SLOTS];
        int slot = slot(name);
        var entry = new Entry(name, value, entered++, null);
        // Room first: what is evicted may be in the same slot.
        evictTo(tableBytes - entry.bytes());
        bytes += entry.bytes();
        entry.next = slots[slot];
        slots[slot] = entry;
        if (newest != null) newest.newer = entry;
        else oldest = entry;
        newest = entry;
    }

    private void evictTo(int mostBytes) {
        while (bytes > mostBytes && oldest != null) {
            var evicted = oldest;
            oldest = evicted.newer;
            if (oldest == null) newest = null;
            bytes -= evicted.bytes();
            unlink(evicted, slot(evicted.name));
        }
    }

    /// Takes the last one out of a slot.
    private void unlink(Entry last, int slot) {
        var entry = slots[slot];
        if (entry == last) slots[slot] = null;
        while (entry != null && entry.next != last) entry = entry.next;
        if (entry != null) entry.next = null;
    }
}
