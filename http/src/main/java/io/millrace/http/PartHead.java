package io.millrace.http;

import java.util.Optional;

/// The head of a part (RFC 7578 section 4). All of it is the peer's word: nothing is checked against the content.
///
/// @param name of the field in the form
/// @param fileName as it came, plain text: it may be empty, have slashes and dots, or be the name of a device.
///     Store files under names of your own.
/// @param mediaType as it came
public record PartHead(String name, Optional<String> fileName, Optional<String> mediaType) {
    /// Whether it is a file: it has a file name, though maybe an empty one.
    public boolean isFile() {
        return fileName.isPresent();
    }
}
