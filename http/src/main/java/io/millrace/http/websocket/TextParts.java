package io.millrace.http.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.memory.LoopInput;
import java.util.Arrays;

/// Makes texts of the parts of one, which may end within a character: that begins the next text.
final class TextParts {
    private static final byte[] NONE = {};

    /// The beginning of a character, three bytes at most.
    private byte[] open = NONE;

    /// The next bytes, which are UTF-8.
    String next(LoopInput in, int length) {
        var bytes = Arrays.copyOf(open, open.length + length);
        in.read(bytes, open.length, length);
        int end = endOfCharacters(bytes);
        open = end == bytes.length ? NONE : Arrays.copyOfRange(bytes, end, bytes.length);
        return new String(bytes, 0, end, UTF_8);
    }

    /// Where the last character ends that is whole.
    private static int endOfCharacters(byte[] bytes) {
        int first = bytes.length - 1;
        while (first > 0 && (bytes[first] & 0xc0) == 0x80) first--;
        return first >= 0 && bytes.length - first < lengthOf(bytes[first]) ? first : bytes.length;
    }

    private static int lengthOf(byte first) {
        if (first >= 0) return 1;
        return (first & 0xe0) == 0xc0 ? 2 : (first & 0xf0) == 0xe0 ? 3 : 4;
    }
}
