package io.millrace.http;

/// What a server takes in the targets of requests beyond its one canonical form. Where anything is taken, `..` is
/// refused, and a proxy passes paths on byte for byte.
///
/// @param escapedSlashes `%2F` in a path is a character, and no separator; otherwise 400
/// @param emptySegments slashes in a row stay as they are; otherwise they are one
/// @param unescaped `[ ] | ^` in a path are escaped by the server, and a bare `%` in a query stays; otherwise 400
public record PathForm(boolean escapedSlashes, boolean emptySegments, boolean unescaped) {
    /// Nothing.
    public static final PathForm STRICT = new PathForm(false, false, false);
}
