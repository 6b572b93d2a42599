package io.millrace.http.message;

/// A handler that answers `CONNECT` (RFC 9110 section 9.3.6), whose path is the host and the port that are asked
/// for. For others a server refuses it with 501. Of a handler inside a filter nobody knows: it stands outside.
public interface TakesConnect {
    /// Whether it does now; on whatever thread handles requests.
    default boolean takesConnect() {
        return true;
    }
}
