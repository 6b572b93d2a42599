package io.millrace.http;

/// The path forms that a server accepts besides the canonical one. Where any is accepted, `..` is refused, and a
/// proxy passes paths on byte for byte.
///
/// @param escapedSlashes `%2F` in a path is a character, not a separator; otherwise 400
/// @param emptySegments repeated slashes stay as they are; otherwise they become one
/// @param unescaped `[ ] | ^` in a path are escaped by the server, and a bare `%` in a query stays; otherwise 400
public record PathForm(boolean escapedSlashes, boolean emptySegments, boolean unescaped) {
    /// Only the canonical form.
    public static final PathForm STRICT = new PathForm(false, false, false);
}
