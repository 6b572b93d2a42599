package io.millrace.http;

import java.util.Optional;

/// What stands in front of the content of a part (RFC 7578 section 4). All of it is what a peer says: nothing
/// here has been looked up, or compared with the content.
///
/// @param name of the field in the form
/// @param fileName as it came, and nothing but text: it may be empty, have slashes and dots, or be the name of a
///     device. Files are stored under names of one's own.
/// @param mediaType as it came
public record PartHead(String name, Optional<String> fileName, Optional<String> mediaType) {
    /// Whether it is a file: it has a name of one, though maybe an empty one.
    public boolean isFile() {
        return fileName.isPresent();
    }
}
