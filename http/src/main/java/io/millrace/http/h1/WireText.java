package io.millrace.http.h1;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Output;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Collects small pieces of output in an array, where they are cheaper.
final class WireText {
    private static final int ENOUGH = 8 << 10;

    /// The longest array that is kept for the next call.
    private static final int MOST_KEPT_BYTES = 64 << 10;

    private static final byte[] CRLF = {'\r', '\n'};

    private byte[] bytes;
    private int length;

    /// The date line for all responses of a call, made on demand.
    private byte @Nullable [] date;

    /// Of the loop that makes the call.
    private LongSupplier wallClock = System::currentTimeMillis;

    WireText(int capacity) {
        bytes = new byte[capacity];
    }

    WireText put(byte[] more) {
        return put(more, 0, more.length);
    }

    WireText put(byte[] more, int from, int count) {
        room(count);
        System.arraycopy(more, from, bytes, length, count);
        length += count;
        return this;
    }

    WireText put(Bytes more) {
        int count = more.length();
        room(count);
        MemorySegment.copy(more.segment(), JAVA_BYTE, 0, bytes, length, count);
        length += count;
        return this;
    }

    /// A text in ISO-8859-1.
    @SuppressWarnings("deprecation") // the one way that copies nothing twice, and what it is deprecated for is wanted
    WireText put(String text) {
        int count = text.length();
        room(count);
        text.getBytes(0, count, bytes, length);
        length += count;
        return this;
    }

    WireText line(String name, String value) {
        return put(name).colon().put(value).end();
    }

    WireText colon() {
        room(2);
        bytes[length++] = ':';
        bytes[length++] = ' ';
        return this;
    }

    WireText end() {
        return put(CRLF);
    }

    WireText decimal(long value) {
        int digits = 1;
        for (long rest = value; rest >= 10; rest /= 10) digits++;
        room(digits);
        length += digits;
        for (int at = length - 1; digits > 0; digits--, at--, value /= 10) bytes[at] = (byte) ('0' + value % 10);
        return this;
    }

    /// The `Date` line.
    WireText date() {
        var line = date;
        if (line == null) date = line = HttpDate.line(wallClock.getAsLong());
        return put(line);
    }

    private void room(int count) {
        if (length + count > bytes.length) bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
    }

    /// A call begins.
    ///
    /// @param wallClock for dates, in milliseconds since the Unix epoch
    void clear(LongSupplier wallClock) {
        this.wallClock = wallClock;
        if (bytes.length > MOST_KEPT_BYTES) bytes = new byte[MOST_KEPT_BYTES];
        length = 0;
        date = null;
    }

    int length() {
        return length;
    }

    byte[] copy(int from) {
        return Arrays.copyOfRange(bytes, from, length);
    }

    /// Whether it should be sent before more is added.
    boolean isEnough() {
        return length >= ENOUGH;
    }

    /// Writes it all, and keeps it.
    void writeTo(Output out) {
        out.write(bytes, 0, length);
    }

    /// Writes it all, and empties it. What follows may be much later.
    void flush(Output out) {
        date = null;
        if (length == 0) return;
        int count = length;
        length = 0;
        out.write(bytes, 0, count);
    }
}
