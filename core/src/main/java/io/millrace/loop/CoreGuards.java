package io.millrace.loop;

import io.millrace.net.Guard;

/// The limits of this module, as `docs/limits.md` names them.
public final class CoreGuards {
    public static final Guard INPUT_UNREAD = CountedGuard.declare("input.unread", "input that a handler left unread");
    public static final Guard FRAME = CountedGuard.declare(
            "frame", "a frame that is too long for its framing, has an invalid length, or cannot be decoded");
    public static final Guard OUTPUT_UNSENT = CountedGuard.declare("output.unsent", "a connection's unsent output");
    public static final Guard GROUP_PENDING =
            CountedGuard.declare("group.pending", "messages that wait for a loop's groups");
    public static final Guard GROUP_MEMBERS = CountedGuard.declare("group.members", "members of a group");
    public static final Guard GROUP_HISTORY = CountedGuard.declare("group.history", "bytes of a group's last messages");
    public static final Guard SLABS = CountedGuard.declare("slabs.bytes", "an event loop's slab memory");
    public static final Guard DIRECT_MEMORY =
            CountedGuard.declare("memory.direct", "the JVM's memory outside the heap");
    public static final Guard CONNECTIONS = CountedGuard.declare("connections.max", "a server's open connections");
    public static final Guard DESCRIPTORS =
            CountedGuard.declare("descriptors", "file descriptors of the process or the system");
    public static final Guard IDLE_TIMEOUT =
            CountedGuard.declareEveryday("timeout.idle", "a connection on which nothing moves");
    public static final Guard READ_TIMEOUT =
            CountedGuard.declareEveryday("timeout.read", "a connection that receives nothing");
    public static final Guard WRITE_TIMEOUT =
            CountedGuard.declare("timeout.write", "a connection whose peer takes nothing");
    public static final Guard CLOSE_TIMEOUT =
            CountedGuard.declare("timeout.close", "a closing connection whose peer takes none of the remaining output");
    public static final Guard CONNECT_TIMEOUT =
            CountedGuard.declare("timeout.connect", "a peer that does not answer a connection attempt");
    public static final Guard UPSTREAM = CountedGuard.declare("tunnel.upstream", "an upstream that cannot be reached");
    public static final Guard TLS_HELLO =
            CountedGuard.declare("tls.hello", "a ClientHello that is too long or invalid");
    public static final Guard TLS_TIMEOUT = CountedGuard.declare("tls.timeout", "a TLS handshake that does not end");
    public static final Guard TLS_HANDSHAKES =
            CountedGuard.declare("tls.handshakes", "TLS handshakes that wait for a thread");
    public static final Guard TLS_RECORDS =
            CountedGuard.declare("tls.records", "consecutive TLS records without data for the handler");
    public static final Guard TLS_EXPIRY = CountedGuard.declare("tls.expiry", "a certificate that expires soon");
    public static final Guard LINGER =
            CountedGuard.declare("close.linger", "a closing connection whose peer goes on sending");
    public static final Guard HAND_OVER_PEER =
            CountedGuard.declare("hand-over.peer", "a process that may not take over from this one");
    public static final Guard HAND_OVER_TIMEOUT =
            CountedGuard.declare("hand-over.timeout", "a process that does not complete its take-over");
    public static final Guard RECONNECT_MESSAGES =
            CountedGuard.declare("reconnect.messages", "messages of a client that wait for its next connection");
    public static final Guard STALL =
            CountedGuard.declare("turn.stall", "a turn that took longer than the watchdog allows");
    public static final Guard LOOP_KEPT = CountedGuard.declare(
            "loop.kept", "code on a virtual thread that kept its loop, and now runs on the JDK's scheduler");
    public static final Guard SPARE_THREADS =
            CountedGuard.declare("threads.spare", "spare threads while the JDK's scheduler is stuck");
    public static final Guard ERROR_LOG = CountedGuard.declare("log.errors", "logged stacks of exceptions on a loop");
    public static final CountedGuard LOG_LINES =
            CountedGuard.declare("log.lines", "event loops' lines that wait to be logged");

    private CoreGuards() {}

    /// Declares them all, so that guards that have not acted yet are listed, too.
    public static void declare() {
        // Loading this class does it, once.
    }
}
