package io.millrace.http;

import io.millrace.bytes.Bytes;
import io.millrace.net.CheckReturnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The parts of a form that was sent as `multipart/form-data` (RFC 7578, RFC 2046 section 5.1), in their order.
///
/// Small ones whole:
/// ```java
/// var avatar = Multipart.of(request).first("avatar").orElseThrow(() -> new HttpError(400, "no avatar"));
/// ```
/// Large ones as they arrive, without memory for them:
/// ```java
/// request -> Response.reading(Multipart.reader(request, new PartReader() { … }))
/// ```
/// Nothing is stored anywhere, and nothing is guessed. Also what the standards let a receiver ignore is refused
/// with 400, so that nobody in front of us can have seen another body: text in front of the first boundary or
/// behind the last one, blanks behind a boundary, content that begins with one, fields that are folded or come twice.
public final class Multipart {
    private static final String MEDIA_TYPE = "multipart/form-data";

    private final List<Part> parts;

    private Multipart(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    /// What a body may have; beyond, it is refused with 413. Immutable: a property is set by its name, which returns a
    /// copy.
    ///
    /// @param parts at least 1 (`multipart.parts`)
    /// @param headBytes in front of a part's content, with the empty line, at least 64 (`multipart.head`)
    /// @param fields lines of a part's head, at least 1 (`multipart.fields`)
    /// @param valueBytes of a part that is no file, which is in memory, at least 0 (`multipart.value`)
    /// @param totalBytes of the body, at least 0 (`multipart.total`)
    @CheckReturnValue
    public record Limits(int parts, int headBytes, int fields, int valueBytes, long totalBytes) {
        private static final Limits STANDARD = new Limits(100, 4 << 10, 10, 64 << 10, 64 << 20);

        /// @throws IllegalArgumentException for a limit that lets nothing pass
        public Limits {
            if (parts < 1 || headBytes < 64 || fields < 1 || valueBytes < 0 || totalBytes < 0) {
                throw new IllegalArgumentException("limits of a multipart body: " + parts + " parts, heads of "
                        + headBytes + " bytes and " + fields + " fields, values of " + valueBytes + " bytes, "
                        + totalBytes + " bytes in total: take at least 1, 64, 1, 0 and 0");
            }
        }

        /// 100 parts, 4 KiB and 10 fields of a head, 64 KiB of a value, 64 MiB in total.
        public static Limits standard() {
            return STANDARD;
        }

        public Limits parts(int parts) {
            return new Limits(parts, headBytes, fields, valueBytes, totalBytes);
        }

        public Limits headBytes(int headBytes) {
            return new Limits(parts, headBytes, fields, valueBytes, totalBytes);
        }

        public Limits fields(int fields) {
            return new Limits(parts, headBytes, fields, valueBytes, totalBytes);
        }

        public Limits valueBytes(int valueBytes) {
            return new Limits(parts, headBytes, fields, valueBytes, totalBytes);
        }

        public Limits totalBytes(long totalBytes) {
            return new Limits(parts, headBytes, fields, valueBytes, totalBytes);
        }
    }

    /// The parts in a request's body, which is read; within the standard limits.
    ///
    /// @throws HttpError as the other
    public static Multipart of(Request request) {
        return of(request, Limits.standard());
    }

    /// The parts in a request's body. It is read, so this is for once.
    ///
    /// @throws HttpError with 415 for another media type, 400 for what is no body, 413 beyond a limit
    public static Multipart of(Request request, Limits limits) {
        var parser = parser(request, limits);
        var body = request.body();
        var parts = new ArrayList<Part>();
        var content = Bytes.EMPTY;
        parser.arrived(body.remaining());
        while (true) {
            switch (parser.next(body)) {
                case HEAD -> content = Bytes.EMPTY;
                // All of it at once, because the boundary behind it is there.
                case DATA -> content = body.readBytes(parser.dataBytes());
                // There is no boundary behind it.
                case HELD -> {}
                case PART_END -> parts.add(new Part(parser.head(), content));
                case NEEDS_MORE -> {
                    parser.end();
                    return new Multipart(parts);
                }
            }
        }
    }

    /// Reads a body as it arrives; for [Response#reading], within the standard limits.
    ///
    /// @throws HttpError as the other
    public static BodyReader reader(Request head, PartReader parts) {
        return reader(head, Limits.standard(), parts);
    }

    /// Reads a body as it arrives; for [Response#reading]. What is no body is answered with 400, what is beyond a
    /// limit with 413.
    ///
    /// @throws HttpError with 415 for another media type, 400 for one without a boundary, 413 for a body that is
    ///     known to be too large
    public static BodyReader reader(Request head, Limits limits, PartReader parts) {
        return new MultipartStream(parser(head, limits), parts);
    }

    private static MultipartParser parser(Request request, Limits limits) {
        var boundary = ContentType.of(request, MEDIA_TYPE).parameter("boundary");
        if (boundary.isEmpty()) throw new HttpError(400, "a multipart body without a boundary");
        if (announced(request) > limits.totalBytes) throw new HttpError(413, "a multipart body that is too large");
        return new MultipartParser(boundary.get(), limits);
    }

    /// How long the body will be; 0 if that is not known.
    private static long announced(Request request) {
        return request.header("Content-Length")
                .filter(text -> text.matches("[0-9]{1,18}"))
                .map(Long::parseLong)
                .orElse(0L);
    }

    /// All parts.
    public List<Part> parts() {
        return parts;
    }

    /// The first part of this name; case matters.
    public Optional<Part> first(String name) {
        return parts.stream().filter(part -> part.name().equals(name)).findFirst();
    }

    /// All parts of this name.
    public List<Part> all(String name) {
        return parts.stream().filter(part -> part.name().equals(name)).toList();
    }

    /// How many parts, because what is in them may be secret.
    @Override
    public String toString() {
        return "a multipart body of " + parts.size() + " parts";
    }
}
