package io.millrace.http;

import io.millrace.http.grammar.Escapes;
import io.millrace.net.CheckReturnValue;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/// The fields of a form sent as `application/x-www-form-urlencoded`, in their order, in UTF-8 (URL standard
/// section 5.1). Immutable.
///
/// ```java
/// var form = Form.of(request);
/// var name = form.first("name").orElseThrow(() -> new HttpError(400, "no name"));
/// ```
/// Browsers send forms with files as [Multipart].
public final class Form {
    private static final String MEDIA_TYPE = "application/x-www-form-urlencoded";
    private static final int MOST_BODY = Integer.MAX_VALUE - 8;

    /// Name, value, name, value, …
    private final List<String> pairs;

    private Form(List<String> pairs) {
        this.pairs = pairs;
    }

    /// How much a form may have; the length of the whole body is limited where it is collected. Immutable: a
    /// property is set by its name, which returns a copy.
    ///
    /// @param fields at least 1 (`form.fields`)
    /// @param nameBytes of a field's name, decoded, at least 1 (`form.name`)
    /// @param valueBytes of a field's value, decoded, at least 0 (`form.value`)
    @CheckReturnValue
    public record Limits(int fields, int nameBytes, int valueBytes) {
        private static final Limits STANDARD = new Limits(1000, 256, 64 << 10);

        /// @throws IllegalArgumentException for a limit that excludes everything
        public Limits {
            if (fields < 1 || nameBytes < 1 || valueBytes < 0) {
                throw new IllegalArgumentException("limits of a form: " + fields + " fields, names of " + nameBytes
                        + ", values of " + valueBytes + " bytes: take at least 1, 1 and 0");
            }
        }

        /// 1000 fields, names of 256 bytes, values of 64 KiB.
        public static Limits standard() {
            return STANDARD;
        }

        public Limits fields(int fields) {
            return new Limits(fields, nameBytes, valueBytes);
        }

        public Limits nameBytes(int nameBytes) {
            return new Limits(fields, nameBytes, valueBytes);
        }

        public Limits valueBytes(int valueBytes) {
            return new Limits(fields, nameBytes, valueBytes);
        }
    }

    /// The form in a request's body, which stays unread; within the standard limits.
    ///
    /// @throws HttpError as [#of(Request, Limits)]
    public static Form of(Request request) {
        return of(request, Limits.standard());
    }

    /// The form in a request's body. The body stays unread, so that a filter can read it too.
    ///
    /// @throws HttpError with 415 for another media type or charset, 400 for a malformed form, 413 beyond a limit
    public static Form of(Request request, Limits limits) {
        ContentType.checkUtf8(ContentType.of(request, MEDIA_TYPE), "a form");
        var body = request.body();
        if (body.remaining() > MOST_BODY) throw new HttpError(413, "a form of " + body.remaining() + " bytes");
        var bytes = new byte[(int) body.remaining()];
        body.peek(0, bytes, 0, bytes.length);
        return new Form(parse(bytes, limits));
    }

    private static List<String> parse(byte[] bytes, Limits limits) {
        var pairs = new ArrayList<String>();
        for (int at = 0; at < bytes.length; ) {
            int end = indexOf('&', bytes, at, bytes.length);
            if (end > at) {
                if (pairs.size() == 2L * limits.fields) {
                    throw new HttpError(413, "a form of more than " + limits.fields + " fields");
                }
                int equals = indexOf('=', bytes, at, end);
                pairs.add(text("name", bytes, at, equals, limits.nameBytes));
                pairs.add(text("value", bytes, Math.min(equals + 1, end), end, limits.valueBytes));
            }
            at = end + 1;
        }
        return List.copyOf(pairs);
    }

    /// The index of the character, or `to`.
    private static int indexOf(char wanted, byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] != wanted) at++;
        return at;
    }

    private static String text(String what, byte[] bytes, int from, int to, int most) {
        try {
            int end = Escapes.decode(bytes, from, to, true);
            if (end - from > most) throw new HttpError(413, "a " + what + " in a form of more than " + most + " bytes");
            return Escapes.utf8(bytes, from, end);
        } catch (CharacterCodingException e) {
            throw new HttpError(400, "a " + what + " in a form with a malformed escape, or not in UTF-8");
        }
    }

    /// The value of the first field of this name; case matters. A field without an equals sign has an empty
    /// value.
    public Optional<String> first(String name) {
        int at = find(name, 0);
        return at < 0 ? Optional.empty() : Optional.of(pairs.get(at + 1));
    }

    /// The values of all fields of this name.
    public List<String> all(String name) {
        var values = new ArrayList<String>();
        for (int at = find(name, 0); at >= 0; at = find(name, at + 2)) values.add(pairs.get(at + 1));
        return List.copyOf(values);
    }

    /// Whether there is a field of this name.
    public boolean has(String name) {
        return find(name, 0) >= 0;
    }

    /// How many fields there are.
    public int size() {
        return pairs.size() / 2;
    }

    /// Calls the action with the name and value of each field.
    public void forEach(BiConsumer<String, String> action) {
        for (int i = 0; i < pairs.size(); i += 2) action.accept(pairs.get(i), pairs.get(i + 1));
    }

    private int find(String name, int from) {
        for (int i = from; i < pairs.size(); i += 2) {
            if (pairs.get(i).equals(name)) return i;
        }
        return -1;
    }

    /// Only the number of fields, because values may be secret.
    @Override
    public String toString() {
        return "a form of " + size() + " fields";
    }
}
