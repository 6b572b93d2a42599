package io.millrace.loop;

import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/// The named limits of `docs/limits.md`, process-wide. When one acts it counts, writes one log line a second at
/// most, and a flight recorder event. Any thread.
@SuppressWarnings("ImmutableEnumChecker") // they count
public enum Guard {
    /// Input a handler left unread.
    INPUT_UNREAD("input.unread"),
    /// A frame that is longer than its framing allows, whose length is no length, or that means nothing.
    FRAME("frame"),
    /// Output that was not sent.
    OUTPUT_UNSENT("output.unsent"),
    /// What waits for the groups of a loop.
    GROUP_PENDING("group.pending"),
    /// Memory of an event loop.
    SLABS("slabs.bytes"),
    /// Memory outside the heap, of the JVM.
    DIRECT_MEMORY("memory.direct"),
    /// Open connections of a server.
    CONNECTIONS("connections.max"),
    /// Descriptors of the process or the system.
    DESCRIPTORS("descriptors"),
    IDLE_TIMEOUT("timeout.idle"),
    READ_TIMEOUT("timeout.read"),
    WRITE_TIMEOUT("timeout.write"),
    /// A connection that ends, for a peer that takes nothing of what is left.
    CLOSE_TIMEOUT("timeout.close"),
    CONNECT_TIMEOUT("timeout.connect"),
    /// An upstream that cannot be reached.
    UPSTREAM("tunnel.upstream"),
    /// A header of the PROXY protocol that is too long, or is none.
    PROXY_HEADER("proxy-protocol.header"),
    /// A header of the PROXY protocol that does not come to its end.
    PROXY_HEADER_TIMEOUT("proxy-protocol.timeout"),
    /// A peer that may not send such headers.
    PROXY_PEER("proxy-protocol.peer"),
    /// A ClientHello that is too long, or is none.
    TLS_HELLO("tls.hello"),
    /// A TLS handshake that does not come to its end.
    TLS_TIMEOUT("tls.timeout"),
    /// TLS handshakes that wait for a thread.
    TLS_HANDSHAKES("tls.handshakes"),
    /// TLS records in a row that have nothing for the handler.
    TLS_RECORDS("tls.records"),
    /// A certificate that expires soon.
    TLS_EXPIRY("tls.expiry"),
    /// A closing connection whose peer goes on sending.
    LINGER("close.linger"),
    /// Somebody who may not take over from this process.
    HAND_OVER_PEER("hand-over.peer"),
    /// A process that takes over, and does not go on.
    HAND_OVER_TIMEOUT("hand-over.timeout"),
    /// A turn that took longer than the watchdog allows.
    STALL("turn.stall"),
    /// Code on a virtual thread that kept its loop, and goes on on the JDK's scheduler.
    LOOP_KEPT("loop.kept"),
    /// Threads beside the JDK's scheduler, while that is stuck.
    SPARE_THREADS("threads.spare"),
    /// Stacks of what was thrown on a loop.
    ERROR_LOG("log.errors"),
    /// The request line of HTTP.
    HTTP_REQUEST_LINE("http.request-line"),
    /// Request line and fields of HTTP, or trailer fields.
    HTTP_HEAD("http.head"),
    /// The number of fields of HTTP.
    HTTP_FIELDS("http.fields"),
    /// A body of HTTP that a handler gets whole.
    HTTP_BODY("http.body"),
    /// A body of HTTP that nobody reads, and whose end does not come.
    HTTP_UNREAD("http.unread"),
    /// A body of HTTP that arrives too slowly.
    HTTP_BODY_RATE("http.body.rate"),
    /// A head of HTTP that does not come to its end.
    HTTP_HEAD_TIMEOUT("http.timeout.head"),
    /// A connection of HTTP without a request.
    HTTP_IDLE_TIMEOUT("http.timeout.idle"),
    /// Connections of HTTP from one address.
    HTTP_PER_ADDRESS("http.connections-per-address"),
    /// Sessions that are kept in memory.
    HTTP_SESSIONS("http.sessions"),
    /// Responses that wait for the file system.
    HTTP_FILES("http.files"),
    /// Content codings of HTTP on top of each other.
    HTTP_CODINGS("http.codings"),
    /// A body of HTTP that a server unpacks.
    HTTP_DECODED("http.decoded"),
    /// The same, for each byte that was sent.
    HTTP_DECODED_RATIO("http.decoded.ratio"),
    /// Bodies of HTTP that are packed at a time.
    HTTP_DEFLATERS("http.deflaters"),
    /// Bodies of HTTP that are unpacked at a time.
    HTTP_INFLATERS("http.inflaters"),
    /// Requests that wait for one of a client's connections.
    HTTP_CLIENT_WAITING("http.client.waiting"),
    /// The head of a response, or its trailer fields, or the line of a chunk.
    HTTP_CLIENT_HEAD("http.client.head"),
    /// The number of fields of a response.
    HTTP_CLIENT_FIELDS("http.client.fields"),
    /// A body that a client gets whole.
    HTTP_CLIENT_BODY("http.client.body"),
    /// A body of HTTP that a client unpacks.
    HTTP_CLIENT_DECODED("http.client.decoded"),
    /// The same, for each byte that was sent.
    HTTP_CLIENT_DECODED_RATIO("http.client.decoded.ratio"),
    /// Bytes of a server behind its response, or in front of a request.
    HTTP_CLIENT_UNASKED("http.client.unasked"),
    /// A response of which nothing comes.
    HTTP_CLIENT_FIRST_BYTE("http.client.timeout.first-byte"),
    /// A server takes nothing more of a request, or sends nothing more of a response.
    HTTP_CLIENT_PROGRESS("http.client.timeout.progress"),
    /// A request has waited for a connection for too long.
    HTTP_CLIENT_WAIT_TIMEOUT("http.client.timeout.wait"),
    /// No head of a response came in the time of one attempt.
    HTTP_CLIENT_HEAD_TIMEOUT("http.client.timeout.head"),
    /// A body that waits until the server wants it.
    HTTP_CLIENT_CONTINUE("http.client.timeout.continue"),
    /// A response that is not complete.
    HTTP_CLIENT_TIMEOUT("http.client.timeout"),
    /// Connections to the backends of an upstream.
    UPSTREAM_CONNECTIONS("upstream.connections"),
    /// Connections to one backend.
    BACKEND_CONNECTIONS("backend.connections"),
    /// Requests that wait for a connection to a backend of an upstream.
    UPSTREAM_PENDING("upstream.pending"),
    /// Requests that wait for a connection to one backend.
    BACKEND_PENDING("backend.pending"),
    /// Requests that the backends of an upstream have to answer.
    UPSTREAM_REQUESTS("upstream.requests"),
    /// Requests that one backend has to answer.
    BACKEND_REQUESTS("backend.requests"),
    /// Requests that are tried again.
    UPSTREAM_RETRIES("upstream.retries"),
    /// Backends that are ejected at a time.
    UPSTREAM_EJECTED("upstream.ejected"),
    /// So few backends may be chosen that health does not count.
    UPSTREAM_PANIC("upstream.panic"),
    /// A configuration that waits to know its backends.
    UPSTREAM_LIST("upstream.list"),
    /// A check of a backend that is not answered.
    UPSTREAM_HEALTH_TIMEOUT("upstream.health.timeout"),
    /// Lines of an access log that are not written yet.
    ACCESS_LOG("access-log.waiting"),
    /// Requests of one key.
    RATE_LIMIT("rate-limit"),
    /// Keys that a rate limit remembers.
    RATE_LIMIT_KEYS("rate-limit.keys"),
    /// Passwords that wait to be checked.
    BASIC_AUTH("basic-auth.waiting"),
    /// Those of one client.
    BASIC_AUTH_SHARE("basic-auth.waiting-per-address"),
    /// Wrong passwords of one client.
    BASIC_AUTH_MISTAKES("basic-auth.mistakes"),
    /// Lines of event loops that are not in the log yet.
    LOG_LINES("log.lines"),
    /// Who watches an admin page.
    ADMIN_WATCHERS("admin.watchers");

    private static final System.Logger LOG = LoopLog.ofAll("io.millrace.guard");
    private static final long ONE_SECOND_NANOS = 1_000_000_000L;

    private final String label;
    private final LongAdder count = new LongAdder();
    private volatile String lastly = "";
    private final AtomicLong loggedNanos = new AtomicLong(System.nanoTime() - ONE_SECOND_NANOS);

    Guard(String label) {
        this.label = label;
    }

    /// The name in `docs/limits.md`.
    public String label() {
        return label;
    }

    /// How often it has acted since the process started.
    public long count() {
        return count.sum();
    }

    /// For whom it has acted lately, and why: what the log says, so it may be a second late. Empty before.
    public String lastly() {
        return lastly;
    }

    /// It has acted, and no line says so.
    void counts() {
        count.increment();
    }

    public void acted(SocketAddress peer, String detail) {
        acted(Wording.of(peer), detail);
    }

    /// For what is done for no peer in particular.
    ///
    /// @param whom what the limit is of, an upstream for instance
    public void acted(String whom, String detail) {
        count.increment();
        if (FlightEvents.areOn()) new FlightEvents.GuardActed(label, whom, detail).commit();
        long now = System.nanoTime();
        long last = loggedNanos.get();
        if (now - last < ONE_SECOND_NANOS || !loggedNanos.compareAndSet(last, now)) return;
        lastly = whom + ": " + detail;
        try {
            LOG.log(Level.WARNING, "guard {0} acted for {1} (no. {2}): {3}", label, whom, count(), detail);
        } catch (RuntimeException | LinkageError _) {
            // A log without descriptors or memory; what the guard protects goes on, and it has counted.
        }
    }
}
