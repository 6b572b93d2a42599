package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.coding.DecodedLimit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// A request to a server, of any HTTP version: checked and prepared by the calling thread, to spare the loop.
/// Immutable.
public final class OutgoingRequest {
    /// Fields about the framing or the connection, which the client sets itself. Some ask for features that
    /// it lacks.
    private static final Set<String> OF_CLIENT = Set.of(
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "upgrade");

    /// RFC 9110 section 9.2.2: methods that may be sent twice.
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

    private static final List<String> EXPECT_BODY = List.of("POST", "PUT", "PATCH");

    private final OutgoingHead head;
    private final Bytes body;
    private final Optional<Upload> upload;
    private final boolean expectsContinue;
    private final Object name;
    private final boolean isHead;
    private final boolean isIdempotent;

    /// How much its response may decompress to, if it is to be decompressed.
    private final Optional<DecodedLimit> decoding;

    private OutgoingRequest(BuiltRequest request, Outbound to) {
        this.head = OutgoingHead.of(request, length(request, to.body().length()));
        this.body = to.body();
        this.upload = request.upload();
        this.expectsContinue = request.headers().has("Expect");
        this.name = request.method() + " " + to.origin() + request.path();
        this.isHead = request.method().equals("HEAD");
        // A writer's body cannot be sent twice.
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

    /// A request with a URI.
    ///
    /// @throws IllegalArgumentException for a request that must not be sent, with the remedy
    public static OutgoingRequest of(BuiltRequest request, Outbound to) {
        if (request.method().equals("CONNECT")) {
            throw new IllegalArgumentException(
                    "CONNECT makes a connection a tunnel, which this client does not support");
        }
        var headers = request.headers();
        if (headers.all("Host").size() != 1) {
            throw new IllegalArgumentException("the field Host comes from the URI: leave it out");
        }
        headers.forEach((field, value) -> {
            if (!OutgoingHead.asksTrailers(field, value)) checkOurs(field);
        });
        checkExpect(
                headers.all("Expect"), request.upload().isPresent() || to.body().length() > 0);
        return new OutgoingRequest(request, to);
    }

    /// Whether requests with this method may be sent twice.
    public static boolean isIdempotent(String method) {
        return IDEMPOTENT.contains(method);
    }

    /// Checks that a field may be in any request.
    ///
    /// @throws IllegalArgumentException for a field that the client sets itself
    public static void checkField(String name) {
        checkOurs(name);
        if (name.equalsIgnoreCase("Host"))
            throw new IllegalArgumentException("the field Host comes from the URI: leave it out");
    }

    private static void checkOurs(String field) {
        var small = field.toLowerCase(Locale.ROOT);
        if (small.equals("proxy-authorization"))
            throw new IllegalArgumentException(
                    "the field Proxy-Authorization is for a proxy only: use ForwardProxy.credentials(…)");
        if (OF_CLIENT.contains(small))
            throw new IllegalArgumentException("the field " + field + " is set by the client: leave it out");
    }

    /// A request that is passed on unchanged, with a head prepared elsewhere.
    ///
    /// @param name for messages; its text is made on demand
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

    /// The same, which asks for another protocol (RFC 9110 section 7.8).
    public OutgoingRequest upgrading(String protocol) {
        head.upgrade(protocol);
        return this;
    }

    /// The same, with its response decompressed.
    public OutgoingRequest decoding(Optional<DecodedLimit> limit) {
        return new OutgoingRequest(this, head, limit);
    }

    /// The same, sent to a proxy, which passes it on (RFC 9112 section 3.2.2).
    ///
    /// @param fields for the proxy only
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

    /// The body if it is written, instead of [#body].
    public Optional<Upload> upload() {
        return upload;
    }

    /// Whether its body waits for `100 Continue`.
    public boolean expectsContinue() {
        return expectsContinue;
    }

    /// It is not sent any more, whether it was sent or not.
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

    /// Whether it may be sent again after an unknown outcome.
    public boolean isIdempotent() {
        return isIdempotent;
    }

    /// Method and URI without its query, which may hold secrets.
    @Override
    public String toString() {
        return name.toString();
    }
}
