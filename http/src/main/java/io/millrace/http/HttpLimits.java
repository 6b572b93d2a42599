package io.millrace.http;

import io.millrace.loop.Wording;
import java.time.Duration;
import java.util.List;

/// What a server takes from its peers; every limit is in `docs/limits.md` with its name. Immutable: each `with…`
/// returns a copy, and throws [IllegalArgumentException] for a value that makes no sense.
///
/// ```java
/// Http.serve(on, HttpSettings.standard().limits(HttpLimits.standard().withHeadBytes(8 << 10)), app);
/// ```
public final class HttpLimits implements Cloneable {
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

    /// 8 KiB of request line, 16 KiB of head, 100 fields, 1 MiB of body, 10 s for a head, 60 s idle, 240 bytes a second
    /// of a body, any number of connections from one address.
    public static HttpLimits standard() {
        return STANDARD;
    }

    /// Of a request line, without its line end, 16 to 65535 (`http.request-line`, answered with 414).
    public HttpLimits withRequestLineBytes(int bytes) {
        var copy = copy();
        copy.requestLineBytes = checked("a request line", bytes, 16, MOST_HEAD_BYTES);
        copy.headBytes = Math.max(headBytes, bytes);
        return copy;
    }

    /// Of a request line and its fields, or of trailer fields, 16 to 65535 (`http.head`, answered with 431).
    public HttpLimits withHeadBytes(int bytes) {
        var copy = copy();
        copy.headBytes = checked("a head", bytes, 16, MOST_HEAD_BYTES);
        copy.requestLineBytes = Math.min(requestLineBytes, bytes);
        return copy;
    }

    /// Lines of a head, 1 to 10000 (`http.fields`, answered with 431).
    public HttpLimits withFields(int count) {
        var copy = copy();
        copy.fields = checked("the number of fields", count, 1, 10_000);
        return copy;
    }

    /// Of a body that a client gets whole, or a virtual thread waits for as a value (`http.body`, answered with 413).
    public HttpLimits withBodyBytes(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("a body of " + bytes + " bytes: take 0 or more");
        var copy = copy();
        copy.bodyBytes = bytes;
        return copy;
    }

    /// From the first byte of a request to the end of its head (`http.timeout.head`).
    public HttpLimits withHeadTimeout(Duration limit) {
        var copy = copy();
        copy.headTimeout = checked("a head timeout", limit);
        return copy;
    }

    /// From the connect or the last response to the first byte of a request (`http.timeout.idle`).
    public HttpLimits withIdleTimeout(Duration limit) {
        var copy = copy();
        copy.idleTimeout = checked("an idle timeout", limit);
        return copy;
    }

    /// The least at which a body has to arrive, on average over ten seconds (`http.body.rate`); 0 means any.
    public HttpLimits withBodyBytesPerSecond(int bytes) {
        var copy = copy();
        copy.bodyBytesPerSecond = checked("bytes of a body per second", bytes, 0, Integer.MAX_VALUE);
        return copy;
    }

    /// At a time (`http.connections-per-address`), of IPv6 from each network of 64 bits; 0 means any number.
    public HttpLimits withConnectionsPerAddress(int count) {
        var copy = copy();
        copy.connectionsPerAddress = checked("connections per address", count, 0, Integer.MAX_VALUE);
        return copy;
    }

    /// Forms of paths that are taken beyond the canonical one; others are answered with 400.
    public HttpLimits withPaths(PathForms forms) {
        var copy = copy();
        copy.paths = forms;
        return copy;
    }

    private HttpLimits copy() {
        try {
            return (HttpLimits) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
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

    /// Whether all of it is the same.
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
