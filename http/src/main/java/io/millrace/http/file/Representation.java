package io.millrace.http.file;

import io.millrace.http.coding.FileCoding;
import java.util.Optional;

/// What the bytes of a file are to a client.
///
/// @param mediaType of the content, before it was coded
/// @param coding how the file was compressed beforehand; empty for a plain one
/// @param varies whether a client that accepts other codings may get another file
public record Representation(String mediaType, Optional<FileCoding> coding, boolean varies) {
    /// A file that is served to every client.
    public static Representation plain(String mediaType) {
        return new Representation(mediaType, Optional.empty(), false);
    }
}
