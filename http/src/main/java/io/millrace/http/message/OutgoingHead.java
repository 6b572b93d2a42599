package io.millrace.http.message;

import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.coding.BodyDecoding;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The head of a request to send, for any version to write: method and target, the original fields, and added
/// ones.
///
/// A request that is passed on keeps the fields about the message; those about the peer's connection are left
/// out, and the framing is written anew (RFC 9110 section 7.6).
public final class OutgoingHead {
    /// A request without a body.
    public static final long NO_BODY = -2;

    private static final String TE = "TE";

    /// Names and values that a proxy adds to most requests.
    private static final int USUAL = 8;

    private final String method;
    private final String path;
    private final String query;
    private final String host;
    private final boolean isForwarded;
    private Headers fields = Headers.EMPTY;
    private List<String> leftOut = List.of();
    private final List<String> added;
    private boolean asksTrailers;
    private String upgrade = "";
    private long bodyLength = NO_BODY;
    private boolean expectsContinue;

    private OutgoingHead(String method, String path, String query, String host, boolean isForwarded) {
        this.method = method;
        this.path = path;
        this.query = query;
        this.host = host;
        this.isForwarded = isForwarded;
        this.added = isForwarded ? new ArrayList<>(USUAL) : List.of();
    }

    /// For a request that a program built, with all of its fields.
    static OutgoingHead of(BuiltRequest request, long bodyLength) {
        var head = new OutgoingHead(request.method(), request.path(), request.query(), "", false);
        head.fields = request.headers();
        head.asksTrailers = asksTrailers(TE, head.fields.first(TE).orElse(""));
        if (head.asksTrailers) head.fields = head.fields.without(TE);
        head.bodyLength = bodyLength;
        return head;
    }

    /// Whether a field of a program's request asks for trailers, the only thing that `TE` may ask for.
    static boolean asksTrailers(String name, String value) {
        return name.equalsIgnoreCase(TE) && value.equalsIgnoreCase("trailers");
    }

    /// The same with a URI as its path, and more fields: for a proxy.
    OutgoingHead absolute(Origin origin, Headers more) {
        var uri = origin.isSecure() ? "https://" : "http://";
        var authority = fields.first("Host").orElseThrow();
        var head = new OutgoingHead(method, uri + authority + path, query, host, false);
        var all = Headers.builder();
        fields.forEach(all::add);
        more.forEach(all::add);
        head.fields = all.build();
        head.asksTrailers = asksTrailers;
        head.bodyLength = bodyLength;
        return head;
    }

    /// For a request that is passed on; fields follow.
    ///
    /// @param path canonical, or `*`
    public static OutgoingHead forwarding(Request request, String path, String host) {
        return new OutgoingHead(request.method(), path, request.query(), host, true);
    }

    /// The fields of the request, except some; then the changes made to it on the way. Fields from a peer are
    /// kept as bytes.
    ///
    /// @param without names as in [io.millrace.http.grammar.StrippedFields]
    public OutgoingHead fields(Request request, List<String> without) {
        switch (request) {
            case RewrittenRequest rewritten -> {
                var changes = RewrittenRequest.changesOf(request);
                fields(rewritten.original(), and(without, changes.leftOut()));
                changes.added().forEach((name, value) -> {
                    // The host was chosen with the target.
                    if (!name.equalsIgnoreCase("Host")) field(name, value);
                });
                return this;
            }
            case ReceivedRequest received -> {
                fields = received.keptHeaders();
                leftOut = received.isDecoded() ? and(without, BodyDecoding.FIELDS) : without;
            }
            case Request built -> {
                fields = built.headers();
                leftOut = without;
            }
        }
        fields.first(TE)
                .ifPresent(te -> asksTrailers = te.toLowerCase(Locale.ROOT).contains("trailers"));
        return this;
    }

    private static List<String> and(List<String> some, Iterable<String> others) {
        var all = new ArrayList<>(some);
        others.forEach(all::add);
        return all;
    }

    /// One more field, known to be valid.
    public OutgoingHead field(String name, String value) {
        added.add(name);
        added.add(value);
        return this;
    }

    /// Asks for another protocol (RFC 9110 section 7.8).
    public OutgoingHead upgrade(String protocol) {
        upgrade = protocol;
        return this;
    }

    /// Sets the framing of the body.
    ///
    /// @param length in bytes, [Body#UNKNOWN], or [#NO_BODY]
    /// @param awaitsContinue whether the body waits for `100 Continue`
    public OutgoingHead body(long length, boolean awaitsContinue) {
        bodyLength = length;
        expectsContinue = awaitsContinue;
        return this;
    }

    // For the version that writes it.

    public String method() {
        return method;
    }

    public String path() {
        return path;
    }

    public String query() {
        return query;
    }

    /// The host of a request that is passed on; for others it is in the fields.
    public String host() {
        return host;
    }

    /// Whether its fields come from another connection.
    public boolean isForwarded() {
        return isForwarded;
    }

    /// The original fields. If the request is passed on, `Host`, `Expect`, and fields about a connection are
    /// not sent.
    public Headers fields() {
        return fields;
    }

    /// Names of original fields that are not sent, as in [io.millrace.http.grammar.StrippedFields].
    public List<String> leftOut() {
        return leftOut;
    }

    /// Names and values, in turn.
    public List<String> added() {
        return added;
    }

    /// Whether trailers are asked for, the only part of `TE` that is passed on.
    public boolean asksTrailers() {
        return asksTrailers;
    }

    /// The requested protocol, or empty.
    public String upgrade() {
        return upgrade;
    }

    /// In bytes, [Body#UNKNOWN], or [#NO_BODY].
    public long bodyLength() {
        return bodyLength;
    }

    /// Whether to send `Expect`, besides the fields.
    public boolean expectsContinue() {
        return expectsContinue;
    }
}
