package io.millrace.http.message;

import io.millrace.http.Request;
import io.millrace.http.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;

/// A file as the response to a request: whole, a part of it (RFC 9110 section 14), or the news that it has not
/// changed (section 13). A response with content has the file open until [io.millrace.http.BodyWriter#onClose] of
/// its body, which has to be called even if nobody wants the body.
///
/// [#of] waits for the file system, so it has no place on a loop; [FileThreads] has one. It reads method and
/// fields of the request and keeps nothing of it.
public final class FileResponse {
    private static final Response NOT_ALLOWED = Response.status(405).header("Allow", "GET, HEAD");

    private final Path path;
    private final String mediaType;
    private final OpenFile file;
    private final FileVersion version;

    private FileResponse(Path path, String mediaType, OpenFile file, Instant now) {
        this.path = path;
        this.mediaType = mediaType;
        this.file = file;
        var attributes = file.attributes();
        this.version =
                FileVersion.of(attributes.size(), attributes.lastModifiedTime().toInstant(), now);
    }

    /// As below, with the media type that the file's name says.
    public static Response of(Path path, Request request) {
        return of(path, MediaTypes.of(path.toString()), request);
    }

    /// 404 when there is no regular file that may be read, 405 for other methods than GET and HEAD.
    ///
    /// @throws UncheckedIOException when the file is there and could not be opened
    public static Response of(Path path, String mediaType, Request request) {
        return of(path, mediaType, request, Instant.now());
    }

    static Response of(Path path, String mediaType, Request request, Instant now) {
        if (!isFor(request)) return notAllowed();
        try {
            var file = OpenFile.at(path);
            if (file.isEmpty()) return Response.status(404);
            return answer(path, mediaType, file.get(), request, now);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whether files answer to the method of a request.
    public static boolean isFor(Request request) {
        return request.method().equals("GET") || request.method().equals("HEAD");
    }

    /// The answer to any other.
    public static Response notAllowed() {
        return NOT_ALLOWED;
    }

    private static Response answer(Path path, String mediaType, OpenFile file, Request request, Instant now)
            throws IOException {
        boolean isInUse = false;
        try {
            var response = new FileResponse(path, mediaType, file, now).answer(request, now);
            isInUse = ((Answer) response).content() instanceof Body.Stream;
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
            return Response.status(304).header("ETag", version.tag().text());
        return switch (wanted(request, conditions)) {
            case ByteRange.Whole _ -> content(200, 0, version.size());
            case ByteRange.Part part ->
                content(206, part.from(), part.length()).header("Content-Range", part.of(version.size()));
            case ByteRange.Unsatisfiable _ -> Response.status(416).header("Content-Range", "bytes */" + version.size());
        };
    }

    /// Ranges are defined for GET alone (section 14.2).
    private ByteRange wanted(Request request, Conditions conditions) {
        boolean mayBePart = request.method().equals("GET") && conditions.allowRange();
        return mayBePart ? ByteRange.of(request.headers().all("Range"), version.size()) : new ByteRange.Whole();
    }

    private Response content(int status, long from, long length) {
        var body = new FileBody(path, file.channel(), from, length);
        return Answer.of(status, new Body.Stream(body, length))
                .type(mediaType)
                .header("ETag", version.tag().text())
                .header("Last-Modified", DateField.text(version.modifiedSeconds()))
                .header("Accept-Ranges", "bytes");
    }
}
