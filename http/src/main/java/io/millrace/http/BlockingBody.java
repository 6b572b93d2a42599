package io.millrace.http;

import io.millrace.bytes.Input;
import java.io.IOException;
import java.io.InputStream;

/// The body of a request in direct style, as [io.millrace.net.BlockingConnection] reads; see
/// [Request#blockingBody]. Used by one thread at a time, until the response is complete.
///
/// ```java
/// var body = request.blockingBody();
/// while (body.read()) count += take(body.input());
/// ```
public interface BlockingBody {
    /// Waits until more has arrived, and offers it together with what was left unread.
    ///
    /// @return false when all of it was offered
    /// @throws IOException when it will not be complete, or is no body
    /// @throws java.io.InterruptedIOException when the thread is interrupted while it waits
    boolean read() throws IOException;

    /// What has arrived: lent until the next [#read].
    Input input();

    /// Fields that came behind it in chunks, once all of it was offered.
    Headers trailers();

    /// The same as a stream, which waits as [#read] does; closing it does nothing.
    InputStream inputStream();
}
