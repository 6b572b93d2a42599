package io.millrace.http;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import java.time.Duration;
import java.util.List;

/// How much a server takes from its peers; `docs/limits.md` lists every limit with its name. Immutable: a
/// property is set by its name, which returns a copy, and read by the same name; a value that makes no sense
/// throws an [IllegalArgumentException].
///
/// ```java
/// Http.serve(on, HttpSettings.standard().limits(HttpLimits.standard().headBytes(8 << 10)), app);
/// ```
@CheckReturnValue
public final class HttpLimits {
    static {
        // Every server and client has limits, so this runs for both.
        HttpGuards.declare();
    }

    private static final HttpLimits STANDARD = new HttpLimits();
    private static final int MOST_HEAD_BYTES = 0xffff;

    private int requestLineBytes = 8 << 10;
    private int headBytes = 16 << 10;
    private int fields = 100;
    private long bodyBytes = 1 << 20;
    private Duration headTimeout = Duration.ofSeconds(10);
    private Duration idleTimeout = Duration.ofSeconds(60);
    private int bodyBytesPerSecond = 240;
    private int connectionsPerAddress;
    private PathForms paths = PathForms.STRICT;

    private HttpLimits() {}

    /// A copy to change, before anyone else sees it.
    private HttpLimits(HttpLimits other) {
        this.requestLineBytes = other.requestLineBytes;
        this.headBytes = other.headBytes;
        this.fields = other.fields;
        this.bodyBytes = other.bodyBytes;
        this.headTimeout = other.headTimeout;
        this.idleTimeout = other.idleTimeout;
        this.bodyBytesPerSecond = other.bodyBytesPerSecond;
        this.connectionsPerAddress = other.connectionsPerAddress;
        this.paths = other.paths;
    }

    /// 8 KiB of request line, 16 KiB of head, 100 fields, 1 MiB of body, 10 s for a head, 60 s idle, 240 bytes a
    /// second of a body, any number of connections from one address.
    public static HttpLimits standard() {
        return STANDARD;
    }

    /// Length of a request line, without its line end, 16 to 65535 (`http.request-line`, answered with 414).
    public HttpLimits requestLineBytes(int bytes) {
        var copy = new HttpLimits(this);
        copy.requestLineBytes = checked("a request line", bytes, 16, MOST_HEAD_BYTES);
        copy.headBytes = Math.max(headBytes, bytes);
        return copy;
    }

    /// Length of a request line and its fields, or of trailer fields, 16 to 65535 (`http.head`, answered with
    /// 431).
    public HttpLimits headBytes(int bytes) {
        var copy = new HttpLimits(this);
        copy.headBytes = checked("a head", bytes, 16, MOST_HEAD_BYTES);
        copy.requestLineBytes = Math.min(requestLineBytes, bytes);
        return copy;
    }

    /// Field lines in a head, 1 to 10000 (`http.fields`, answered with 431).
    public HttpLimits fields(int count) {
        var copy = new HttpLimits(this);
        copy.fields = checked("the number of fields", count, 1, 10_000);
        return copy;
    }

    /// Length of a body that a client gets whole, or that a virtual thread waits for as a value (`http.body`,
    /// answered with 413).
    public HttpLimits bodyBytes(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("a body of " + bytes + " bytes: take 0 or more");
        var copy = new HttpLimits(this);
        copy.bodyBytes = bytes;
        return copy;
    }

    /// Time from the first byte of a request to the end of its head (`http.timeout.head`).
    public HttpLimits headTimeout(Duration limit) {
        var copy = new HttpLimits(this);
        copy.headTimeout = checked("a head timeout", limit);
        return copy;
    }

    /// Time from the connect or the last response to the first byte of a request (`http.timeout.idle`).
    public HttpLimits idleTimeout(Duration limit) {
        var copy = new HttpLimits(this);
        copy.idleTimeout = checked("an idle timeout", limit);
        return copy;
    }

    /// The slowest rate at which a body may arrive, on average over ten seconds (`http.body.rate`); 0 means any. Bodies
    /// that share a connection wait for each other: none is too slow while all together arrive at the sum of their
    /// rates.
    public HttpLimits bodyBytesPerSecond(int bytes) {
        var copy = new HttpLimits(this);
        copy.bodyBytesPerSecond = checked("bytes of a body per second", bytes, 0, Integer.MAX_VALUE);
        return copy;
    }

    /// Connections at a time from one address (`http.connections-per-address`), or from one /64 network of IPv6;
    /// 0 means any number.
    public HttpLimits connectionsPerAddress(int count) {
        var copy = new HttpLimits(this);
        copy.connectionsPerAddress = checked("connections per address", count, 0, Integer.MAX_VALUE);
        return copy;
    }

    /// Path forms that are accepted besides the canonical one; others are answered with 400.
    public HttpLimits paths(PathForms forms) {
        var copy = new HttpLimits(this);
        copy.paths = forms;
        return copy;
    }

    private List<Object> values() {
        return List.of(
                requestLineBytes,
                headBytes,
                fields,
                bodyBytes,
                headTimeout,
                idleTimeout,
                bodyBytesPerSecond,
                connectionsPerAddress,
                paths);
    }

    /// Whether all limits are the same.
    @Override
    public boolean equals(Object other) {
        return other instanceof HttpLimits it && values().equals(it.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    private static int checked(String what, int value, int least, int most) {
        if (value >= least && value <= most) return value;
        throw new IllegalArgumentException(what + ": " + value + " is not possible, take " + least + " to " + most);
    }

    private static Duration checked(String what, Duration value) {
        if (value.isPositive()) return value;
        throw new IllegalArgumentException(what + " of " + Wording.of(value) + " is not possible: take more than 0");
    }

    public int requestLineBytes() {
        return requestLineBytes;
    }

    public int headBytes() {
        return headBytes;
    }

    public int fields() {
        return fields;
    }

    public long bodyBytes() {
        return bodyBytes;
    }

    public Duration headTimeout() {
        return headTimeout;
    }

    public Duration idleTimeout() {
        return idleTimeout;
    }

    public int bodyBytesPerSecond() {
        return bodyBytesPerSecond;
    }

    public int connectionsPerAddress() {
        return connectionsPerAddress;
    }

    public PathForms paths() {
        return paths;
    }
}
