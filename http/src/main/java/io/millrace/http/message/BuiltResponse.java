package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.JsonCodec;
import io.millrace.http.Response;
import io.millrace.http.coding.Coding;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The only implementation of a response.
public final class BuiltResponse extends Response {
    private static final Set<String> OF_SERVER =
            Set.of("content-length", "transfer-encoding", "connection", "keep-alive");

    private static final String CONTENT_TYPE = "Content-Type";

    private final int status;
    private final Headers headers;
    private final Body body;
    private final boolean isLast;

    /// Whether a peer sent it, with fields about its own connection.
    private final boolean isReceived;

    /// The trailer fields.
    private final Headers trailers;

    private final boolean isDated;

    /// How it was sent, for the next time; see [#encoding].
    private volatile byte @Nullable [] encoding;

    private boolean wasSent;

    /// The body of a streamed or later response, once it was read without a server.
    private volatile @Nullable Bytes shown;

    /// The last one; see [#kept].
    private volatile @Nullable Kept kept;

    private BuiltResponse(int status, Headers headers, Body body, boolean isLast, boolean isReceived) {
        this(status, headers, body, isLast, isReceived, Headers.EMPTY);
    }

    private BuiltResponse(
            int status, Headers headers, Body body, boolean isLast, boolean isReceived, Headers trailers) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.isLast = isLast;
        this.isReceived = isReceived;
        this.trailers = trailers;
        this.isDated = headers.has("Date");
    }

    /// A response without fields.
    ///
    /// @throws IllegalArgumentException for an invalid status
    public static BuiltResponse of(int status, Body body) {
        return of(status, Headers.EMPTY, body);
    }

    /// A response of this program.
    public static BuiltResponse of(int status, Headers fields, Body body) {
        checkStatus(status);
        return new BuiltResponse(status, fields, body, false, false);
    }

    private static void checkStatus(int status) {
        if (status >= 200 && status <= 599) return;
        throw new IllegalArgumentException("status " + status + ": take 200 to 599");
    }

    /// Casts a response; there is no other implementation.
    public static BuiltResponse from(Response response) {
        return switch (response) {
            case BuiltResponse built -> built;
        };
    }

    /// A peer's response, with all of its fields.
    public static BuiltResponse received(int status, Headers headers, Bytes body) {
        return received(status, headers, body, Headers.EMPTY);
    }

    /// A peer's response with trailers.
    public static BuiltResponse received(int status, Headers headers, Bytes body, Headers trailers) {
        return new BuiltResponse(status, headers, new Body.Whole(body), false, true, trailers);
    }

    /// Whether a peer sent it: then its fields are about the peer's connection and framing.
    public boolean isReceived() {
        return isReceived;
    }

    /// A peer's response as this server sends it: with the remaining fields.
    public BuiltResponse passedOn(Headers endToEnd) {
        return new BuiltResponse(status, endToEnd, body, isLast, false);
    }

    /// Whether it has a `Date` of its own.
    public boolean isDated() {
        return isDated;
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public Headers headers() {
        return headers;
    }

    @Override
    public Bytes body() {
        if (body instanceof Body.Whole whole) return whole.bytes();
        var known = shown;
        if (known == null) shown = known = Unserved.body(body);
        return known;
    }

    @Override
    public Headers trailers() {
        return trailers;
    }

    /// Whether it is an error with the standard phrase.
    public boolean isPhrase() {
        return body instanceof Body.Whole whole && whole.isPhrase();
    }

    /// This response in place of an error, with the error's other fields.
    ///
    /// @throws IllegalArgumentException if it is not whole
    public BuiltResponse inPlaceOf(BuiltResponse error) {
        if (!(body instanceof Body.Whole || body instanceof Body.Json)) {
            throw new IllegalArgumentException("the response to an error is streamed or comes later: use a text");
        }
        var fields = Headers.builder();
        error.headers.forEach((name, value) -> {
            if (!name.equalsIgnoreCase(CONTENT_TYPE) && !headers.has(name)) fields.add(name, value);
        });
        headers.forEach(fields::add);
        return new BuiltResponse(status, fields.build(), body, isLast || error.isLast, false);
    }

    /// The kind of its body.
    public Body content() {
        return body;
    }

    /// It is not sent; what it has open must not stay so, nor what it is still to bring.
    public void discard() {
        switch (body) {
            case Body.Stream stream -> Callbacks.tell(stream.writer()::onClose);
            case Body.Duplex both -> Callbacks.tell(both.duplex()::onAbort);
            case Body.Reading reading -> Callbacks.tell(reading.reader()::onAbort);
            case Body.Relayed elsewhere -> elsewhere.relay().gone();
            case Body.Later later ->
                later.stage().whenComplete((found, _) -> {
                    if (found != null) from(found).discard();
                });
            case Body.Whole _, Body.Json _, Body.File _ -> {}
            case Body.Blocking _, Body.Pushed _, Body.Events _, Body.Collecting _ -> {
                // Nobody has been asked to begin.
            }
        }
    }

    /// Another response is sent to the same peer instead, so that the sender of this one need not break off.
    public void replaced() {
        if (!leave()) discard();
    }

    /// Its exchange is over: what another connection brings of it is not wanted any more.
    ///
    /// @return whether it comes from another connection
    public boolean leave() {
        if (!(body instanceof Body.Stream stream && stream.writer() instanceof BodyPipe pipe)) return false;
        pipe.leave();
        return true;
    }

    /// Whether the connection closes after it.
    public boolean isLast() {
        return isLast;
    }

    @Override
    public Response setHeader(String name, String value) {
        checkOurs(name);
        if (isToCome()) return map(response -> response.setHeader(name, value));
        return with(headers.without(name).with(name, value), body);
    }

    @Override
    public Response addHeader(String name, String value) {
        checkOurs(name);
        if (isToCome()) return map(response -> response.addHeader(name, value));
        if (name.equalsIgnoreCase(CONTENT_TYPE) && headers.has(CONTENT_TYPE)) {
            throw new IllegalArgumentException("a response has one " + CONTENT_TYPE + ", and this one has "
                    + headers.all(CONTENT_TYPE) + ": use type() or setHeader()");
        }
        return with(headers.with(name, value), body);
    }

    private static void checkOurs(String name) {
        if (!OF_SERVER.contains(name.toLowerCase(Locale.ROOT))) return;
        throw new IllegalArgumentException(
                "the field " + name + " is set by the server: leave it out, or use length() or close()");
    }

    @Override
    public Response removeHeader(String name) {
        if (isToCome()) return map(response -> response.removeHeader(name));
        return with(headers.without(name), body);
    }

    @Override
    public Response withStatus(int other) {
        checkStatus(other);
        if (isToCome()) return map(response -> response.withStatus(other));
        return new BuiltResponse(other, headers, body, isLast, isReceived, trailers);
    }

    @Override
    public Response type(String mediaType) {
        return setHeader(CONTENT_TYPE, mediaType);
    }

    @Override
    public Response close() {
        if (isToCome()) return map(Response::close);
        return new BuiltResponse(status, headers, body, true, isReceived, trailers);
    }

    @Override
    public Response length(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("a length of " + bytes + ": take 0 or more");
        return with(body.withLength(bytes));
    }

    @Override
    public Response map(UnaryOperator<Response> change) {
        return isToCome() ? with(body.map(change)) : change.apply(this);
    }

    /// Whether status and fields come later.
    public boolean isToCome() {
        return body.isToCome();
    }

    private BuiltResponse with(Body content) {
        return with(headers, content);
    }

    /// The same status, with these fields and this body.
    public BuiltResponse with(Headers fields, Body content) {
        return new BuiltResponse(status, fields, content, isLast, isReceived, trailers);
    }

    /// With its value written as JSON.
    ///
    /// @throws IllegalArgumentException if it cannot be written
    public BuiltResponse written(JsonCodec codec) {
        return body instanceof Body.Json json ? with(headers, json.written(codec)) : this;
    }

    // For the next time.

    /// The bytes kept with [#encoded]; null at first.
    public byte @Nullable [] encoding() {
        return encoding;
    }

    /// Whether keeping bytes is worth it: a response sent twice will be sent often.
    public boolean isWorthKeeping() {
        boolean isAgain = wasSent;
        wasSent = true;
        return isAgain;
    }

    public void encoded(byte[] bytes) {
        encoding = bytes;
    }

    private record Kept(Object maker, Coding coding, BuiltResponse answer) {}

    /// A filter's version of it, if kept.
    @SuppressWarnings("ReferenceEquality") // the object itself
    public Optional<BuiltResponse> kept(Object maker, Coding coding) {
        var known = kept;
        if (known == null || known.maker != maker || known.coding != coding) return Optional.empty();
        return Optional.of(known.answer);
    }

    /// Keeps a filter's version of it, if that is worth it.
    public void keep(Object maker, Coding coding, BuiltResponse made) {
        if (isWorthKeeping()) kept = new Kept(maker, coding, made);
    }
}
