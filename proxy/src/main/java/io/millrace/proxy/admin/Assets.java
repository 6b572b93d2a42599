package io.millrace.proxy.admin;

import io.millrace.bytes.Bytes;
import io.millrace.http.Response;
import java.io.IOException;
import java.io.UncheckedIOException;

/// The files of the page.
final class Assets {
    private Assets() {}

    /// @throws IllegalStateException when the file is not part of this build
    static Response file(String name, String mediaType) {
        try (var file = Assets.class.getResourceAsStream(name)) {
            if (file == null) throw new IllegalStateException(name + " is not part of this build");
            return Response.ok(Bytes.of(file.readAllBytes()), mediaType);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
