package io.millrace.http.message;

import io.millrace.http.BlockingBody;

/// A body that threads wait for while its exchange goes on.
public interface AwaitedBody extends BlockingBody {
    /// The exchange is over, and nothing more of it is to be had. As often as one likes, any thread.
    void over();
}
