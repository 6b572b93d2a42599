package io.millrace.http.file;

import io.millrace.bytes.Bytes;
import io.millrace.http.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;

/// A file that was changed at a certain time, and what is answered to requests for it a day later.
final class ServedFile {
    static final Instant MODIFIED = Instant.parse("2024-05-06T07:08:09.123456Z");
    static final String MODIFIED_TEXT = "Mon, 06 May 2024 07:08:09 GMT";
    static final String SECOND_BEFORE = "Mon, 06 May 2024 07:08:08 GMT";
    static final String SECOND_AFTER = "Mon, 06 May 2024 07:08:10 GMT";

    final Path path;
    private final Instant now;

    private ServedFile(Path path, Instant now) {
        this.path = path;
        this.now = now;
    }

    static ServedFile file(Path path, byte[] content) throws IOException {
        Files.write(path, content);
        Files.setLastModifiedTime(path, FileTime.from(MODIFIED));
        return new ServedFile(path, MODIFIED.plusSeconds(86_400));
    }

    static ServedFile file(Path path, String content) throws IOException {
        return file(path, Bytes.utf8(content).toArray());
    }

    /// Asked for at another time.
    ServedFile at(Instant now) {
        return new ServedFile(path, now);
    }

    /// @param fields name, value, name, value, …
    Pulled get(String... fields) throws Exception {
        return ask("GET", fields);
    }

    Pulled head(String... fields) throws Exception {
        return ask("HEAD", fields);
    }

    Pulled ask(String method, String... fields) throws Exception {
        var request = Request.of(method, "/", Bytes.EMPTY);
        for (int i = 0; i < fields.length; i += 2) request = request.addHeader(fields[i], fields[i + 1]);
        return Pulled.of(FileResponse.of(
                path, Representation.plain(MediaTypes.of(path.toString())), request, Optional.empty(), now));
    }

    /// The tag that it has now.
    String tag() throws Exception {
        return get().field("ETag");
    }
}
