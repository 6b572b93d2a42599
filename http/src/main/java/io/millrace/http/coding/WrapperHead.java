package io.millrace.http.coding;

/// Parses the head in front of compressed data, byte by byte.
sealed interface WrapperHead permits GzipHead, ZlibHead {
    /// The next byte; only while it is not complete.
    ///
    /// @return whether that was the last one
    boolean take(int value) throws BadCoding;

    boolean isComplete();
}
