package io.millrace.http;

import java.io.IOException;
import java.io.InputStream;

/// Takes a response as it arrives, in plain blocking code; see
/// [io.millrace.http.client.HttpClient#send(Request, BlockingResponseReader)].
///
/// @param <T> the type of its result
@FunctionalInterface
public interface BlockingResponseReader<T> {
    /// Reads the response and returns a result.
    ///
    /// @param head status and fields, without a body
    /// @param body lent until this returns; unread bytes are dropped
    T read(Response head, InputStream body) throws IOException;
}
