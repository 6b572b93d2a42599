package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import java.util.Arrays;
import java.util.function.IntPredicate;

/// The lines of a head, or of trailers, found in one pass over an array and kept as positions in it: a field's
/// text is made only when it is asked for.
///
/// A pass that runs out of bytes keeps what it has found. The next call, with more bytes, goes on from the last
/// unfinished line, though the bytes may have moved to another array meanwhile.
///
/// ```
///   bytes …│GET / HTTP/1.1\r\n│Host: a\r\n│…        positions count from `start`
///          start              at of the next line
/// ```
public class FieldLines {
    public static final int INCOMPLETE = -1;

    private static final int NAME_LENGTH = 16;
    private static final int VALUE = 32;
    private static final int VALUE_LENGTH = 48;
    private static final int FEW = 12;
    private static final byte[] NO_BYTES = {};
    private static final long[] NO_LINES = {};

    /// The largest position.
    private static final int MOST_BYTES = 0xffff;

    private static final int MOST_LENGTH_DIGITS = 18;

    /// The array of the lines; it is shared, and may be another in each call.
    byte[] bytes = NO_BYTES;

    int start;

    /// Name, its length, value, its length: 16 bits each.
    private long[] lines = NO_LINES;

    private int count;

    /// The line to go on with, counted from `start`.
    int at;

    /// The next byte begins something else.
    public void reset() {
        count = 0;
        at = 0;
    }

    int count() {
        return count;
    }

    void copyFrom(FieldLines other) {
        bytes = Arrays.copyOfRange(other.bytes, other.start, other.start + other.at);
        start = 0;
        lines = Arrays.copyOf(other.lines, other.count);
        count = other.count;
        at = other.at;
    }

    /// Copies some lines of another object, with their bytes.
    void copyFrom(FieldLines other, IntPredicate isWanted) {
        lines = new long[other.count];
        bytes = new byte[other.at];
        for (int line = 0; line < other.count; line++) {
            if (!isWanted.test(line)) continue;
            int nameLength = other.nameLength(line);
            int valueLength = other.valueLength(line);
            System.arraycopy(other.bytes, other.name(line), bytes, at, nameLength);
            System.arraycopy(other.bytes, other.value(line), bytes, at + nameLength, valueLength);
            add(at, nameLength, at + nameLength, valueLength);
            at += nameLength + valueLength;
        }
    }

    /// Whether there are positions for one more line.
    boolean hasRoom(String name, String value) {
        return at + name.length() + value.length() <= MOST_BYTES;
    }

    /// Appends a line, known to be valid, for which there is room.
    @SuppressWarnings("deprecation") // as in WireText
    void append(String name, String value) {
        int length = name.length() + value.length();
        if (at + length > bytes.length) bytes = Arrays.copyOf(bytes, at + length);
        name.getBytes(0, name.length(), bytes, at);
        value.getBytes(0, value.length(), bytes, at + name.length());
        add(at, name.length(), at + name.length(), value.length());
        at += length;
    }

    /// Goes on with the line at `start + at` and those after it, up to the empty one.
    ///
    /// @param to the end of the bytes
    /// @return the length of all lines, from `start`; or [#INCOMPLETE]
    /// @throws Refusal with 400 or 431
    int parseLines(int to, HttpLimits limits) throws Refusal {
        int mostBytes = limits.headBytes();
        // Bytes beyond the limit need not be looked at.
        int end = Math.min(to, start + mostBytes);
        while (true) {
            int line = start + at;
            int next = parseLine(line, end);
            if (next == INCOMPLETE) {
                if (end < to || to - start >= mostBytes) {
                    throw new Refusal(431, "fields of more than " + mostBytes + " bytes", HttpGuards.HEAD);
                }
                return INCOMPLETE;
            }
            at = next - start;
            if (next == line + 2) return at;
            if (count > limits.fields()) {
                throw new Refusal(431, "more than " + limits.fields() + " fields", HttpGuards.FIELDS);
            }
            noted(count - 1);
        }
    }

    /// @return where the next line begins; the empty line is two bytes long
    private int parseLine(int line, int end) throws Refusal {
        var bytes = this.bytes;
        int at = line;
        while (at < end && Syntax.isToken(bytes[at])) at++;
        if (at == end) return INCOMPLETE;
        if (at == line) return emptyLine(line, end);
        if (bytes[at] != ':') throw new Refusal(400, "a field name has an invalid character");
        int nameLength = at - line;
        do at++;
        while (at < end && isBlank(bytes[at]));
        int value = at;
        at = Syntax.endOfValue(bytes, at, end);
        // The line feed must be there, too.
        if (at + 1 >= end && (at == end || bytes[at] == '\r')) return INCOMPLETE;
        if (bytes[at] != '\r' || bytes[at + 1] != '\n') throw new Refusal(400, "a field has a control character");
        int valueEnd = at;
        while (valueEnd > value && isBlank(bytes[valueEnd - 1])) valueEnd--;
        add(line - start, nameLength, value - start, valueEnd - value);
        return at + 2;
    }

    private int emptyLine(int line, int end) throws Refusal {
        if (bytes[line] != '\r') throw new Refusal(400, "a field line does not begin with a name");
        if (line + 1 == end) return INCOMPLETE;
        if (bytes[line + 1] != '\n') throw new Refusal(400, "a carriage return without a line feed");
        return line + 2;
    }

    static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    private void add(int name, int nameLength, int value, int valueLength) {
        if (count == lines.length) lines = Arrays.copyOf(lines, 2 * count + FEW);
        lines[count++] =
                name | (long) nameLength << NAME_LENGTH | (long) value << VALUE | (long) valueLength << VALUE_LENGTH;
    }

    /// Called for each line that is found, to interpret it.
    void noted(int line) throws Refusal {}

    // What was found.

    int name(int line) {
        return start + (int) (lines[line] & 0xffff);
    }

    int nameLength(int line) {
        return (int) (lines[line] >>> NAME_LENGTH & 0xffff);
    }

    int value(int line) {
        return start + (int) (lines[line] >>> VALUE & 0xffff);
    }

    int valueLength(int line) {
        return (int) (lines[line] >>> VALUE_LENGTH & 0xffff);
    }

    String valueText(int line) {
        return Syntax.latin1(bytes, value(line), valueLength(line));
    }

    /// A value that is a length: digits, and nothing else.
    long length(int line) throws Refusal {
        int from = value(line);
        int digits = valueLength(line);
        if (digits == 0 || digits > MOST_LENGTH_DIGITS)
            throw new Refusal(400, "a Content-Length without digits, or with too many");
        long value = 0;
        for (int i = from; i < from + digits; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') throw new Refusal(400, "a Content-Length that is not a number");
            value = 10 * value + bytes[i] - '0';
        }
        return value;
    }

    /// The first line of this name at or after `from`, or -1.
    int find(String name, int from) {
        for (int line = from; line < count; line++) {
            if (nameLength(line) == name.length() && isName(line, name)) return line;
        }
        return -1;
    }

    private boolean isName(int line, String name) {
        int at = name(line);
        for (int i = 0; i < name.length(); i++) {
            char wanted = name.charAt(i);
            if (Syntax.lower(bytes[at + i]) != (wanted >= 'A' && wanted <= 'Z' ? wanted + 32 : wanted)) return false;
        }
        return true;
    }

    /// Whether a line has this name, given in small letters.
    boolean isNamed(int line, String name) {
        return Syntax.isWord(bytes, name(line), nameLength(line), name);
    }

    /// Whether a line has this value, given in small letters.
    boolean isValue(int line, String value) {
        return Syntax.isWord(bytes, value(line), valueLength(line), value);
    }

    /// A copy of all lines as text.
    public Headers headers() {
        if (count == 0) return Headers.EMPTY;
        var copy = new FieldLines();
        copy.copyFrom(this);
        return new WireHeaders(copy);
    }

    /// Writes a line unchanged.
    final void writeLine(int line, WireText out) {
        out.put(bytes, name(line), nameLength(line))
                .colon()
                .put(bytes, value(line), valueLength(line))
                .end();
    }
}
