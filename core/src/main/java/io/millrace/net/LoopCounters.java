package io.millrace.net;

/// What one event loop has done since it started, for any metrics library to read at any time.
///
/// @param loop               the loop's name
/// @param connections        open connections now
/// @param accepted           connections accepted
/// @param closed             connections closed
/// @param failed             of those, closed with a cause
/// @param turns              passes of the loop
/// @param busyNanos          time it worked in turns, without waiting
/// @param stalls             turns that took longer than the watchdog allows
/// @param tasks              tasks run
/// @param pendingTasks       tasks waiting now
/// @param timers             timers waiting now
/// @param bytesReceived      bytes from the kernel
/// @param bytesSent          bytes to the kernel
/// @param slabBytesInUse     memory of slabs that connections hold now
/// @param slabBytesHeld      memory of slabs, in use or free
/// @param acceptsRefused     times accepting stopped for want of descriptors or memory
/// @param receivesStarved    times receiving stopped for want of memory
public record LoopCounters(
        String loop,
        long connections,
        long accepted,
        long closed,
        long failed,
        long turns,
        long busyNanos,
        long stalls,
        long tasks,
        long pendingTasks,
        long timers,
        long bytesReceived,
        long bytesSent,
        long slabBytesInUse,
        long slabBytesHeld,
        long acceptsRefused,
        long receivesStarved) {}
