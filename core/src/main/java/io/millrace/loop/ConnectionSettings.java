package io.millrace.loop;

import io.millrace.net.Connection;
import io.millrace.net.Stage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// How the connections of a listener or a client behave; a duration of 0 nanoseconds means none.
///
/// @param inputLimitBytes     input left unread, above which nothing more is received
/// @param highWatermarkBytes  unsent output, above which nothing more is received
/// @param lowWatermarkBytes   unsent output, below which it is received again
/// @param outputLimitBytes    unsent output, above which a write kills the connection
/// @param idleTimeoutNanos    closes when nothing was received or sent for so long
/// @param readTimeoutNanos    closes when nothing was received for so long while it was waited for
/// @param writeTimeoutNanos   closes when nothing could be sent for so long while something was to be
/// @param whenIdleNanos       calls `whenIdle` when nothing was received or sent for so long
public record ConnectionSettings(
        long inputLimitBytes,
        long highWatermarkBytes,
        long lowWatermarkBytes,
        long outputLimitBytes,
        long idleTimeoutNanos,
        long readTimeoutNanos,
        long writeTimeoutNanos,
        long whenIdleNanos,
        @Nullable Consumer<Connection> whenIdle,
        @Nullable Stage stage) {
    public static final ConnectionSettings STANDARD =
            new ConnectionSettings(64 << 10, 256 << 10, 128 << 10, 64 << 20, 0, 0, 0, 0, null, null);

    boolean hasTimeouts() {
        return (idleTimeoutNanos | readTimeoutNanos | writeTimeoutNanos | whenIdleNanos) != 0;
    }
}
