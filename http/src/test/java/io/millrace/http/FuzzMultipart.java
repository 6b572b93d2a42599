package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.fuzz.Cuts;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/// Bodies of forms with files: the same parts as a whole and wherever they are cut, or the same refusal; and what
/// is accepted splits at its boundaries, with nothing in front, between or behind.
public final class FuzzMultipart {
    private static final Multipart.Limits LIMITS =
            Multipart.Limits.standard().parts(5).headBytes(200).fields(4).valueBytes(50);
    private static final String DELIMITER = "\r\n--" + MultipartBodies.BOUNDARY;
    private static final Pattern HEAD =
            Pattern.compile("(?:[!#$%&'*+.^_`|~0-9A-Za-z-]++:[^\\r\\n\\x00-\\x08]*+\\r\\n)++\\r\\n");

    private FuzzMultipart() {}

    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        var whole = whole(input);
        for (var cuts : Cuts.of(input)) assertEquals(whole, streamed(input, cuts));
        assertStrict(input, whole);
    }

    private static Object whole(byte[] input) {
        try {
            return Multipart.of(MultipartBodies.request(input), LIMITS).parts();
        } catch (HttpError e) {
            return e.status();
        }
    }

    private static Object streamed(byte[] input, int[] cuts) throws Exception {
        var notes = new MultipartBodies.Notes();
        try {
            MultipartBodies.offer(Multipart.reader(MultipartBodies.request(input), LIMITS, notes), input, cuts);
            assertEquals("end", notes.calls.getLast());
            return notes.parts;
        } catch (HttpError e) {
            // Told once, and nothing else afterwards.
            assertEquals(1, notes.calls.stream().filter("abort"::equals).count());
            assertEquals("abort", notes.calls.getLast());
            return e.status();
        }
    }

    private static void assertStrict(byte[] input, Object whole) {
        if (!(whole instanceof List<?> parts)) return;
        var text = "\r\n" + new String(input, StandardCharsets.ISO_8859_1);
        var pieces = text.split(Pattern.quote(DELIMITER), -1);
        assertEquals(parts.size() + 2, pieces.length);
        assertEquals("", pieces[0]);
        assertTrue(List.of("--", "--\r\n").contains(pieces[pieces.length - 1]));
        for (int i = 0; i < parts.size(); i++) {
            var piece = pieces[i + 1];
            assertTrue(piece.startsWith("\r\n"), piece);
            var head = HEAD.matcher(piece).region(2, piece.length());
            assertTrue(head.lookingAt(), piece);
            var content = ((Part) parts.get(i)).content().toArray();
            assertEquals(piece.substring(head.end()), new String(content, StandardCharsets.ISO_8859_1));
        }
    }
}
