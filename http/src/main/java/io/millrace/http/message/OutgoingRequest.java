package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.coding.DecodedLimit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// A request on its way to a server, whatever version that speaks: checked and put together by the thread that
/// asks, so that no loop has to. Immutable.
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
            "upgrade");

    /// RFC 9110 section 9.2.2: those that may be sent twice.
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

    private static final List<String> EXPECT_BODY = List.of("POST", "PUT", "PATCH");

    private final OutgoingHead head;
    private final Bytes body;
    private final Optional<Upload> upload;
    private final boolean expectsContinue;
    private final Object name;
    private final boolean isHead;
    private final boolean isIdempotent;

    /// How much may come of its response, if that is packed and to be unpacked.
    private final Optional<DecodedLimit> decoding;

    private OutgoingRequest(BuiltRequest request, Outbound to) {
        this.head = OutgoingHead.of(request, length(request, to.body().length()));
        this.body = to.body();
        this.upload = request.upload();
        this.expectsContinue = request.headers().has("Expect");
        this.name = request.method() + " " + to.origin() + request.path();
        this.isHead = request.method().equals("HEAD");
        // What is written once cannot be sent twice.
        this.isIdempotent = IDEMPOTENT.contains(request.method()) && upload.isEmpty();
        this.decoding = Optional.empty();
    }

    private OutgoingRequest(OutgoingRequest other, OutgoingHead head, Optional<DecodedLimit> decoding) {
        this.head = head;
        this.body = other.body;
        this.upload = other.upload;
        this.expectsContinue = other.expectsContinue;
        this.name = other.name;
        this.isHead = other.isHead;
        this.isIdempotent = other.isIdempotent;
        this.decoding = decoding;
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
        headers.forEach((field, _) -> checkOurs(field));
        checkExpect(
                headers.all("Expect"), request.upload().isPresent() || to.body().length() > 0);
        return new OutgoingRequest(request, to);
    }

    /// Whether requests of a method may be sent twice.
    public static boolean isIdempotent(String method) {
        return IDEMPOTENT.contains(method);
    }

    /// Whether a field may stand in any request.
    ///
    /// @throws IllegalArgumentException for one that the client says itself
    public static void checkField(String name) {
        checkOurs(name);
        if (name.equalsIgnoreCase("Host"))
            throw new IllegalArgumentException("the field Host comes from the URI: leave it out");
    }

    private static void checkOurs(String field) {
        var small = field.toLowerCase(Locale.ROOT);
        if (small.equals("proxy-authorization"))
            throw new IllegalArgumentException(
                    "the field Proxy-Authorization is for a proxy alone: say it with ForwardProxy.credentials(…)");
        if (OF_CLIENT.contains(small))
            throw new IllegalArgumentException("the field " + field + " is the client's business: leave it out");
    }

    /// One that is passed on as it stands, behind a head that somebody else has put together.
    ///
    /// @param name for messages to people, if there are any; its text
    public static OutgoingRequest passing(OutgoingHead head, Object name, Bytes body, Optional<Upload> upload) {
        return new OutgoingRequest(head, name, body, upload);
    }

    private OutgoingRequest(OutgoingHead head, Object name, Bytes body, Optional<Upload> upload) {
        this.head = head;
        this.body = body;
        this.upload = upload;
        this.expectsContinue = head.expectsContinue();
        this.name = name;
        this.isHead = head.method().equals("HEAD");
        this.isIdempotent = IDEMPOTENT.contains(head.method()) && upload.isEmpty();
        this.decoding = Optional.empty();
    }

    /// RFC 9110 section 10.1.1.
    private static void checkExpect(List<String> values, boolean hasBody) {
        if (values.isEmpty()) return;
        boolean isFine = hasBody && values.size() == 1 && values.getFirst().equalsIgnoreCase("100-continue");
        if (isFine) return;
        throw new IllegalArgumentException("the field Expect says " + values
                + ": 100-continue is for a request with a body, otherwise leave it out");
    }

    /// One whose response is unpacked on its way.
    public OutgoingRequest decoding(Optional<DecodedLimit> limit) {
        return new OutgoingRequest(this, head, limit);
    }

    /// One that is sent to a proxy, which passes it on (RFC 9112 section 3.2.2).
    ///
    /// @param fields for the proxy alone
    public OutgoingRequest through(Origin origin, Headers fields) {
        return new OutgoingRequest(this, head.absolute(origin, fields), decoding);
    }

    private static long length(BuiltRequest request, int bodyLength) {
        if (request.upload().isPresent()) return request.upload().get().length();
        boolean isSilent = bodyLength == 0 && !EXPECT_BODY.contains(request.method());
        return isSilent ? OutgoingHead.NO_BODY : bodyLength;
    }

    public OutgoingHead head() {
        return head;
    }

    public Bytes body() {
        return body;
    }

    /// What follows the head instead of [#body].
    public Optional<Upload> upload() {
        return upload;
    }

    /// Whether its body waits until the server wants it.
    public boolean expectsContinue() {
        return expectsContinue;
    }

    /// Nobody sends it any more, whether it was sent or not.
    public void over() {
        upload.ifPresent(mine -> Callbacks.tell(mine::onClose));
    }

    public Optional<DecodedLimit> decoding() {
        return decoding;
    }

    /// Whether its response has no body, whatever its fields say.
    public boolean isHead() {
        return isHead;
    }

    /// Whether it may be sent again when nobody knows what became of it.
    public boolean isIdempotent() {
        return isIdempotent;
    }

    /// Method and URI without its query, which may hold secrets.
    @Override
    public String toString() {
        return name.toString();
    }
}
