package io.millrace.http.exchange;

import io.millrace.net.Handler;
import java.io.IOException;

/// A client's connection of any version, as its [ConnectionOwner] sees it: it carries one exchange after the other, or
/// many at a time. On its loop only.
public interface PooledConnection extends Handler {
    /// Whether it can carry one more exchange.
    boolean hasRoom();

    /// Whether its server permits no exchange at all for now; it tells when it does ([ConnectionOwner#idle]).
    boolean permitsNone();

    /// Whether it carries none, and may carry one.
    boolean isIdle();

    /// Whether it may carry several at a time.
    boolean isShared();

    /// Whether one of several exchanges has lasted so long.
    default boolean hasLasting(long nanos) {
        return false;
    }

    /// Whether nothing that the server has sent before can be taken for the response to the next request.
    boolean isHearing();

    /// Carries an exchange; only while it [#hasRoom].
    void send(Caller next);

    /// It has opened, and there is no exchange for it yet.
    void rest();

    /// Carries no more exchanges, and closes in order when those in progress are complete.
    void end();

    /// Drops it now; its exchanges fail with the cause, and are not repeated.
    void drop(IOException cause);
}
