package io.millrace.http.exchange;

import io.millrace.bytes.Input;

/// Receives the parts of a body.
@FunctionalInterface
public interface BodyTarget {
    /// Takes a part, which is lent; unread bytes are offered again with the next part.
    void take(Input part) throws Exception;
}
