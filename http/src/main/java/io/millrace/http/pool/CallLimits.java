package io.millrace.http.pool;

/// How long a call may take, in nanoseconds; 0 for as long as it takes.
///
/// @param waitNanos  for a connection, while all that there may be are busy
/// @param headNanos  until the head of the response is there
/// @param wholeNanos until the response is complete
public record CallLimits(long waitNanos, long headNanos, long wholeNanos) {
    CallLimits withWhole(long nanos) {
        return new CallLimits(waitNanos, headNanos, nanos);
    }
}
