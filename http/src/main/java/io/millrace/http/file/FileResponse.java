package io.millrace.http.file;

import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.coding.FileCoding;
import io.millrace.http.grammar.ByteRange;
import io.millrace.http.grammar.DateField;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.memory.Reserve;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/// A file as a response: whole, a part of it (RFC 9110 section 14), or that it has not changed (section 13).
/// A response with content keeps the file open until [io.millrace.http.BodyWriter#onClose] of its body, which
/// must be called even if the body is not wanted.
///
/// [#of] waits for the file system, so it must not run on a loop; [FileThreads] has threads for it. It reads
/// method and fields of the request and keeps nothing of it.
public final class FileResponse {
    private static final Response NOT_ALLOWED = Response.status(405).setHeader("Allow", "GET, HEAD");

    private final Path path;
    private final Representation as;
    private final OpenFile file;
    private final FileVersion version;
    private final Optional<Reserve> memory;

    private FileResponse(Path path, Representation as, OpenFile file, Optional<Reserve> memory, Instant now) {
        this.path = path;
        this.as = as;
        this.file = file;
        this.memory = memory;
        var attributes = file.attributes();
        this.version = FileVersion.of(
                attributes.size(),
                attributes.lastModifiedTime().toInstant(),
                now,
                as.coding().map(FileCoding::suffix).orElse("").replace('.', '-'));
    }

    /// With the media type of the file's name, and without memory.
    public static Response of(Path path, Request request) {
        return of(path, Representation.plain(MediaTypes.of(path.toString())), request, Optional.empty());
    }

    /// 404 if there is no readable regular file, 405 for methods other than GET and HEAD.
    ///
    /// @param memory for the first piece of the file ([#memoryFor]); without it the first piece follows when
    ///     the head was sent
    /// @throws UncheckedIOException if the file exists and cannot be opened
    public static Response of(Path path, Representation as, Request request, Optional<Reserve> memory) {
        return of(path, as, request, memory, Instant.now());
    }

    /// The memory of the loop that has a request's connection; empty for a request that a program built. For
    /// the thread that handles the request.
    public static Optional<Reserve> memoryFor(Request request) {
        var received = ReceivedRequest.behind(request);
        return received == null
                ? Optional.empty()
                : Optional.of(received.loop().pool().reserve());
    }

    static Response of(Path path, Representation as, Request request, Optional<Reserve> memory, Instant now) {
        if (!isFor(request)) return notAllowed();
        try {
            var file = OpenFile.at(path);
            if (file.isEmpty()) return Response.status(404);
            return answer(path, as, file.get(), request, memory, now);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whether files support the request's method.
    public static boolean isFor(Request request) {
        return request.method().equals("GET") || request.method().equals("HEAD");
    }

    /// The response to other methods.
    public static Response notAllowed() {
        return NOT_ALLOWED;
    }

    private static Response answer(
            Path path, Representation as, OpenFile file, Request request, Optional<Reserve> memory, Instant now)
            throws IOException {
        boolean isInUse = false;
        try {
            var wanted = request.method().equals("GET") ? memory : Optional.<Reserve>empty();
            var response = new FileResponse(path, as, file, wanted, now).answer(request, now);
            isInUse = BuiltResponse.from(response).content() instanceof Body.Stream;
            return response;
        } finally {
            if (!isInUse) file.channel().close();
        }
    }

    private Response answer(Request request, Instant now) {
        var conditions = new Conditions(request.headers(), version, now.getEpochSecond());
        int status = conditions.status();
        if (status == 412) return Response.status(412);
        if (status == 304)
            return varying(Response.status(304).setHeader("ETag", version.tag().text()));
        return switch (wanted(request, conditions)) {
            case ByteRange.Whole _ -> content(200, 0, version.size());
            case ByteRange.Part part ->
                content(206, part.from(), part.length()).setHeader("Content-Range", part.of(version.size()));
            case ByteRange.Unsatisfiable _ ->
                Response.status(416).setHeader("Content-Range", "bytes */" + version.size());
        };
    }

    /// Ranges are defined for GET only (section 14.2).
    private ByteRange wanted(Request request, Conditions conditions) {
        boolean mayBePart = request.method().equals("GET") && conditions.allowRange();
        return mayBePart ? ByteRange.of(request.headers().all("Range"), version.size()) : new ByteRange.Whole();
    }

    private Response content(int status, long from, long length) {
        var body = new FileBody(path, file.channel(), from, length);
        var answer = BuiltResponse.of(status, new Body.Stream(body, length))
                .type(as.mediaType())
                .setHeader("ETag", version.tag().text())
                .setHeader("Last-Modified", DateField.text(version.modifiedSeconds()))
                .setHeader("Accept-Ranges", "bytes");
        if (as.coding().isPresent())
            answer = answer.setHeader("Content-Encoding", as.coding().get().token());
        answer = varying(answer);
        // Last: from now on the file must be closed.
        memory.ifPresent(body::begin);
        return answer;
    }

    private Response varying(Response answer) {
        return as.varies() ? answer.setHeader("Vary", "Accept-Encoding") : answer;
    }
}
