package io.millrace.http.message;

import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;

/// Writes a body that may have to wait for somebody else.
public interface SuspendableWriter extends BodyWriter {
    /// Says whom to tell when there is something again; once, before the first [#write].
    ///
    /// @param news for any thread to call
    void opened(Runnable news);

    /// As of any body, but having written nothing it may say that there will be more, and has to tell then.
    @Override
    boolean write(Output out) throws Exception;

    /// Fields behind the body, when all of it was written.
    Headers trailers();
}
