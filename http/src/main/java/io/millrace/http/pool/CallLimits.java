package io.millrace.http.pool;

/// Time limits of a call, in nanoseconds; 0 means none.
///
/// @param waitNanos for a connection, while all of them are busy
/// @param headNanos until the response's head has arrived
/// @param wholeNanos until the response is complete
public record CallLimits(long waitNanos, long headNanos, long wholeNanos) {
    CallLimits withWhole(long nanos) {
        return new CallLimits(waitNanos, headNanos, nanos);
    }
}
