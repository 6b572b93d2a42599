package io.millrace.http.message;

import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import io.millrace.http.Headers;

/// Writes a body that is produced elsewhere, and may have to wait for it.
public interface SuspendableWriter extends BodyWriter {
    /// Sets the callback for new data; once, before the first [#write].
    ///
    /// @param news can be called by any thread
    void opened(Runnable news);

    /// As for any body; but it may return true without writing anything, and must call back then.
    @Override
    boolean write(Output out) throws Exception;

    /// Whether trailers may follow a body whose length is known before.
    default boolean mayHaveTrailers() {
        return false;
    }

    /// The trailer fields, when the whole body was written.
    Headers trailers();
}
