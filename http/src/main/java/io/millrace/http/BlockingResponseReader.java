package io.millrace.http;

import java.io.IOException;
import java.io.InputStream;

/// Takes a response as it arrives, in plain blocking code; see
/// [io.millrace.http.client.HttpClient#send(Request, BlockingResponseReader)].
///
/// @param <T> what it makes of the response
@FunctionalInterface
public interface BlockingResponseReader<T> {
    /// Reads the response and returns what it makes of it.
    ///
    /// @param head status and fields; it has no body
    /// @param body lent until this returns; what is not read is left out
    T read(Response head, InputStream body) throws IOException;
}
