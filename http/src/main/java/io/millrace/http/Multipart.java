package io.millrace.http;

import io.millrace.bytes.Bytes;
import io.millrace.net.CheckReturnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The parts of a form sent as `multipart/form-data` (RFC 7578, RFC 2046 section 5.1), in their order.
///
/// Small forms whole:
/// ```java
/// var avatar = Multipart.of(request).first("avatar").orElseThrow(() -> new HttpError(400, "no avatar"));
/// ```
/// Large forms as they arrive, without memory for them:
/// ```java
/// request -> Response.reading(Multipart.reader(request, new PartReader() { … }))
/// ```
/// Nothing is stored, and nothing is guessed. Bodies that another program might read differently are refused with
/// 400, even where the standards let a receiver be lenient: text before the first boundary or after the last one,
/// blanks after a boundary, content that begins with one, fields that are folded or come twice.
public final class Multipart {
    private static final String MEDIA_TYPE = "multipart/form-data";

    private final List<Part> parts;

    private Multipart(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    /// How much a body may have; more is refused with 413. Immutable: a property is set by its name, which
    /// returns a copy.
    ///
    /// @param parts at least 1 (`multipart.parts`)
    /// @param headBytes in front of a part's content, with the empty line, at least 64 (`multipart.head`)
    /// @param fields lines of a part's head, at least 1 (`multipart.fields`)
    /// @param valueBytes of a part that is not a file, which is kept in memory, at least 0 (`multipart.value`)
    /// @param totalBytes of the body, at least 0 (`multipart.total`)
    @CheckReturnValue
    public record Limits(int parts, int headBytes, int fields, int valueBytes, long totalBytes) {
        private static final Limits STANDARD = new Limits(100, 4 << 10, 10, 64 << 10, 64 << 20);

        /// @throws IllegalArgumentException for a limit that excludes everything
        public Limits {
            if (parts < 1 || headBytes < 64 || fields < 1 || valueBytes < 0 || totalBytes < 0) {
                throw new IllegalArgumentException("limits of a multipart body: " + parts + " parts, heads of "
                        + headBytes + " bytes and " + fields + " fields, values of " + valueBytes + " bytes, "
                        + totalBytes + " bytes in total: take at least 1, 64, 1, 0 and 0");
            }
        }

        /// 100 parts, heads of 4 KiB and 10 fields, values of 64 KiB, 64 MiB in total.
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

    /// Reads the parts from a request's body, within the standard limits.
    ///
    /// @throws HttpError as [#of(Request, Limits)]
    public static Multipart of(Request request) {
        return of(request, Limits.standard());
    }

    /// Reads the parts from a request's body. This consumes the body, so it works once.
    ///
    /// @throws HttpError with 415 for another media type, 400 for a malformed body, 413 beyond a limit
    public static Multipart of(Request request, Limits limits) {
        var parser = parser(request, limits);
        var body = request.body();
        var parts = new ArrayList<Part>();
        var content = Bytes.EMPTY;
        parser.arrived(body.remaining());
        while (true) {
            switch (parser.next(body)) {
                case HEAD -> content = Bytes.EMPTY;
                // All of the content at once, because the boundary after it has arrived.
                case DATA -> content = body.readBytes(parser.dataBytes());
                // There is no boundary after it.
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
    /// @throws HttpError as [#reader(Request, Limits, PartReader)]
    public static BodyReader reader(Request head, PartReader parts) {
        return reader(head, Limits.standard(), parts);
    }

    /// Reads a body as it arrives; for [Response#reading]. A malformed body is answered with 400, one beyond a
    /// limit with 413.
    ///
    /// @throws HttpError with 415 for another media type, 400 without a boundary, 413 if the announced length is
    ///     too large
    public static BodyReader reader(Request head, Limits limits, PartReader parts) {
        return new MultipartStream(parser(head, limits), parts);
    }

    private static MultipartParser parser(Request request, Limits limits) {
        var boundary = ContentType.of(request, MEDIA_TYPE).parameter("boundary");
        if (boundary.isEmpty()) throw new HttpError(400, "a multipart body without a boundary");
        if (announced(request) > limits.totalBytes) throw new HttpError(413, "a multipart body that is too large");
        return new MultipartParser(boundary.get(), limits);
    }

    /// The announced length of the body; 0 if unknown.
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

    /// Only the number of parts, because contents may be secret.
    @Override
    public String toString() {
        return "a multipart body of " + parts.size() + " parts";
    }
}
