package io.millrace.http;

import io.millrace.bytes.Bytes;

/// A part of a [Multipart] body, whole: a value.
public record Part(PartHead head, Bytes content) {
    /// The name of the field in the form.
    public String name() {
        return head.name();
    }

    /// The content decoded as UTF-8; malformed bytes become U+FFFD.
    public String text() {
        return content.utf8();
    }
}
