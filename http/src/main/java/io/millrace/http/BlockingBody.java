package io.millrace.http;

import io.millrace.bytes.Input;
import java.io.IOException;
import java.io.InputStream;

/// A request's body in direct style, read as with [io.millrace.net.BlockingConnection]; see
/// [Request#blockingBody]. Used by one thread at a time, until the response is complete.
///
/// ```java
/// var body = request.blockingBody();
/// while (body.read()) count += take(body.input());
/// ```
public interface BlockingBody {
    /// Waits for more bytes, and offers them together with those left unread.
    ///
    /// @return false when the whole body has been offered
    /// @throws IOException when the body is malformed or will not be complete
    /// @throws java.io.InterruptedIOException when the thread is interrupted while it waits
    boolean read() throws IOException;

    /// The bytes that have arrived: lent until the next [#read].
    Input input();

    /// The trailer fields, once the whole body has been offered.
    Headers trailers();

    /// The body as a stream, which waits as [#read] does; closing it does nothing.
    InputStream inputStream();
}
