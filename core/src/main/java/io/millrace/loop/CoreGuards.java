package io.millrace.loop;

import io.millrace.net.Guard;

/// The limits of this module, as `docs/limits.md` names them.
public final class CoreGuards {
    public static final Guard INPUT_UNREAD = CountedGuard.declare("input.unread", "input a handler left unread");
    public static final Guard FRAME = CountedGuard.declare(
            "frame",
            "a frame that is longer than its framing allows, whose length is no length, or that means nothing");
    public static final Guard OUTPUT_UNSENT = CountedGuard.declare("output.unsent", "output that was not sent");
    public static final Guard GROUP_PENDING =
            CountedGuard.declare("group.pending", "what waits for the groups of a loop");
    public static final Guard SLABS = CountedGuard.declare("slabs.bytes", "memory of an event loop");
    public static final Guard DIRECT_MEMORY =
            CountedGuard.declare("memory.direct", "memory outside the heap, of the JVM");
    public static final Guard CONNECTIONS = CountedGuard.declare("connections.max", "open connections of a server");
    public static final Guard DESCRIPTORS =
            CountedGuard.declare("descriptors", "descriptors of the process or the system");
    public static final Guard IDLE_TIMEOUT =
            CountedGuard.declare("timeout.idle", "a connection on which nothing moves");
    public static final Guard READ_TIMEOUT = CountedGuard.declare("timeout.read", "a connection that receives nothing");
    public static final Guard WRITE_TIMEOUT =
            CountedGuard.declare("timeout.write", "a connection whose peer takes nothing");
    public static final Guard CLOSE_TIMEOUT = CountedGuard.declare(
            "timeout.close", "a connection that ends, for a peer that takes nothing of what is left");
    public static final Guard CONNECT_TIMEOUT =
            CountedGuard.declare("timeout.connect", "a peer that does not answer when it is connected to");
    public static final Guard UPSTREAM = CountedGuard.declare("tunnel.upstream", "an upstream that cannot be reached");
    public static final Guard TLS_HELLO =
            CountedGuard.declare("tls.hello", "a ClientHello that is too long, or is none");
    public static final Guard TLS_TIMEOUT =
            CountedGuard.declare("tls.timeout", "a TLS handshake that does not come to its end");
    public static final Guard TLS_HANDSHAKES =
            CountedGuard.declare("tls.handshakes", "TLS handshakes that wait for a thread");
    public static final Guard TLS_RECORDS =
            CountedGuard.declare("tls.records", "TLS records in a row that have nothing for the handler");
    public static final Guard TLS_EXPIRY = CountedGuard.declare("tls.expiry", "a certificate that expires soon");
    public static final Guard LINGER =
            CountedGuard.declare("close.linger", "a closing connection whose peer goes on sending");
    public static final Guard HAND_OVER_PEER =
            CountedGuard.declare("hand-over.peer", "somebody who may not take over from this process");
    public static final Guard HAND_OVER_TIMEOUT =
            CountedGuard.declare("hand-over.timeout", "a process that takes over, and does not go on");
    public static final Guard STALL =
            CountedGuard.declare("turn.stall", "a turn that took longer than the watchdog allows");
    public static final Guard LOOP_KEPT = CountedGuard.declare(
            "loop.kept", "code on a virtual thread that kept its loop, and goes on on the JDK's scheduler");
    public static final Guard SPARE_THREADS =
            CountedGuard.declare("threads.spare", "threads beside the JDK's scheduler, while that is stuck");
    public static final Guard ERROR_LOG = CountedGuard.declare("log.errors", "stacks of what was thrown on a loop");
    public static final CountedGuard LOG_LINES =
            CountedGuard.declare("log.lines", "lines of event loops that are not in the log yet");

    private CoreGuards() {}

    /// Declares them, so that those are listed, too, that have not acted yet.
    public static void declare() {
        // The constants do, once.
    }
}
