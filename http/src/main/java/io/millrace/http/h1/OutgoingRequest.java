package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.http.coding.DecodedLimit;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.Outbound;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// A request as it is sent (RFC 9112 section 3): checked and put together by the thread that asks, so that no
/// loop has to. Immutable.
///
/// ```
///   GET /path?query HTTP/1.1
///   Host: example.org          from the URI
///   …                          the user's
///   Content-Length: 5          with a body, or a method that expects one
/// ```
public final class OutgoingRequest {
    /// Fields that say how the message is framed, or that speak of the connection: the client's business. Some
    /// ask for what it does not do.
    private static final Set<String> OF_CLIENT = Set.of(
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "upgrade",
            "expect");

    /// RFC 9110 section 9.2.2: those that may be sent twice.
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

    private static final List<String> EXPECT_BODY = List.of("POST", "PUT", "PATCH");
    private static final int USUAL = 512;

    private final byte[] head;
    private final Bytes body;
    private final String name;
    private final boolean isHead;
    private final boolean isIdempotent;

    /// How much may come of its response, if that is packed and to be unpacked.
    private final Optional<DecodedLimit> unpacking;

    private OutgoingRequest(BuiltRequest request, Outbound to) {
        this.head = head(request, to.body().length());
        this.body = to.body();
        this.name = request.method() + " " + to.origin() + request.path();
        this.isHead = request.method().equals("HEAD");
        this.isIdempotent = IDEMPOTENT.contains(request.method());
        this.unpacking = Optional.empty();
    }

    private OutgoingRequest(OutgoingRequest other, Optional<DecodedLimit> unpacking) {
        this.head = other.head;
        this.body = other.body;
        this.name = other.name;
        this.isHead = other.isHead;
        this.isIdempotent = other.isIdempotent;
        this.unpacking = unpacking;
    }

    /// A request that was made with an URI.
    ///
    /// @throws IllegalArgumentException for one that may not be sent, with the remedy
    public static OutgoingRequest of(BuiltRequest request, Outbound to) {
        if (request.method().equals("CONNECT")) {
            throw new IllegalArgumentException("CONNECT makes a tunnel of a connection, which this client does not do");
        }
        var headers = request.headers();
        if (headers.all("Host").size() != 1) {
            throw new IllegalArgumentException("the field Host comes from the URI: leave it out");
        }
        headers.forEach((field, _) -> {
            if (OF_CLIENT.contains(field.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException("the field " + field + " is the client's business: leave it out");
            }
        });
        return new OutgoingRequest(request, to);
    }

    /// One whose response is unpacked on its way.
    public OutgoingRequest unpacking(Optional<DecodedLimit> limit) {
        return new OutgoingRequest(this, limit);
    }

    private static byte[] head(BuiltRequest request, int bodyLength) {
        var text = new WireText(USUAL).put(request.method()).put(" ").put(request.path());
        if (!request.query().isEmpty()) text.put("?").put(request.query());
        text.put(" HTTP/1.1").end();
        // The URI's host is the first field, where it belongs.
        request.headers().forEach(text::line);
        if (bodyLength > 0 || EXPECT_BODY.contains(request.method())) {
            text.put("Content-Length: ").decimal(bodyLength).end();
        }
        return text.end().copy(0);
    }

    byte[] head() {
        return head;
    }

    Bytes body() {
        return body;
    }

    Optional<DecodedLimit> unpacking() {
        return unpacking;
    }

    /// Whether its response has no body, whatever its fields say.
    boolean isHead() {
        return isHead;
    }

    /// Whether it may be sent again when nobody knows what became of it.
    boolean isIdempotent() {
        return isIdempotent;
    }

    /// Method and URI without its query, which may hold secrets.
    @Override
    public String toString() {
        return name;
    }
}
