package io.millrace.http.exchange;

import io.millrace.bytes.Input;

/// Where the parts of a body go that arrives.
@FunctionalInterface
public interface BodyTarget {
    /// Takes a part, which is lent; what it leaves is offered again with what follows.
    void take(Input part) throws Exception;
}
