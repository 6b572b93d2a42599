package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.coding.Coding;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The one kind of response that there is.
public final class BuiltResponse extends Response {
    private static final Set<String> OF_SERVER =
            Set.of("content-length", "transfer-encoding", "connection", "keep-alive");

    private static final String CONTENT_TYPE = "Content-Type";
    private static final String SET_COOKIE = "Set-Cookie";
    private static final Pattern SECURE = Pattern.compile(";\\s*secure\\s*(;|=|$)", Pattern.CASE_INSENSITIVE);

    private final int status;
    private final Headers headers;
    private final Body body;
    private final boolean isLast;

    /// A peer sent it, with fields that speak of its own connection.
    private final boolean isReceived;

    /// What came behind its body.
    private final Headers trailers;

    private final boolean isDated;

    /// How it was sent, for the next time; see [#encoding].
    private volatile byte @Nullable [] encoding;

    private boolean wasSent;

    /// Of one that comes bit by bit or later, once somebody without a server has looked at it.
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
    /// @throws IllegalArgumentException for a status that is none
    public static BuiltResponse of(int status, Body body) {
        checkStatus(status);
        return new BuiltResponse(status, Headers.EMPTY, body, false, false);
    }

    private static void checkStatus(int status) {
        if (status >= 200 && status <= 599) return;
        throw new IllegalArgumentException("status " + status + ": take 200 to 599");
    }

    /// A response as it was built, which each is.
    public static BuiltResponse from(Response response) {
        return switch (response) {
            case BuiltResponse built -> built;
        };
    }

    /// What a peer answered, with all of its fields.
    public static BuiltResponse received(int status, Headers headers, Bytes body) {
        return received(status, headers, body, Headers.EMPTY);
    }

    /// The same, with the fields behind its body.
    public static BuiltResponse received(int status, Headers headers, Bytes body, Headers trailers) {
        return new BuiltResponse(status, headers, new Body.Whole(body), false, true, trailers);
    }

    /// Whether a peer sent it: its fields speak of its own connection, and of the framing there.
    public boolean isReceived() {
        return isReceived;
    }

    /// What a peer sent, as a server may send it: with what is left of its fields.
    public BuiltResponse passedOn(Headers endToEnd) {
        return new BuiltResponse(status, endToEnd, body, isLast, false);
    }

    /// As it goes over TLS: cookies of ours come back over TLS alone then.
    public BuiltResponse overTls() {
        return headers.has(SET_COOKIE) ? with(secured(), body) : this;
    }

    private Headers secured() {
        var fields = Headers.builder();
        headers.forEach((name, value) -> {
            boolean isOpen =
                    name.equalsIgnoreCase(SET_COOKIE) && !SECURE.matcher(value).find();
            fields.add(name, isOpen ? value + "; Secure" : value);
        });
        return fields.build();
    }

    /// Whether it says itself when it was made.
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

    /// Whether it is an error that has the standard phrase.
    public boolean isPhrase() {
        return body instanceof Body.Whole whole && whole.isPhrase();
    }

    /// This one instead of an error, whose other fields it has, too.
    ///
    /// @throws IllegalArgumentException for one that is not whole
    public BuiltResponse inPlaceOf(BuiltResponse error) {
        if (!(body instanceof Body.Whole)) {
            throw new IllegalArgumentException("the response to an error comes later or bit by bit: make it of a text");
        }
        var fields = Headers.builder();
        error.headers.forEach((name, value) -> {
            if (!name.equalsIgnoreCase(CONTENT_TYPE) && !headers.has(name)) fields.add(name, value);
        });
        headers.forEach(fields::add);
        return new BuiltResponse(status, fields.build(), body, isLast || error.isLast, false);
    }

    /// How its body comes.
    public Body content() {
        return body;
    }

    /// Whether the connection closes behind it.
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
                    + headers.all(CONTENT_TYPE) + ": take type() or setHeader()");
        }
        return with(headers.with(name, value), body);
    }

    private static void checkOurs(String name) {
        if (!OF_SERVER.contains(name.toLowerCase(Locale.ROOT))) return;
        throw new IllegalArgumentException(
                "the field " + name + " is the server's business: leave it out, or use length() or close()");
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
        var counted = switch (body) {
            case Body.Stream stream -> new Body.Stream(stream.writer(), bytes, stream.encoding());
            case Body.Blocking blocking -> new Body.Blocking(blocking.writer(), bytes, blocking.encoding());
            case Body.Pushed pushed -> new Body.Pushed(pushed.open(), bytes, pushed.encoding());
            case Body.Duplex duplex -> new Body.Duplex(duplex.duplex(), bytes, duplex.encoding());
            case Body.Whole _, Body.File _, Body.Events _ -> throw noStream();
            case Body.Later _, Body.Reading _, Body.Collecting _, Body.Relayed _ -> throw noStream();
        };
        return new BuiltResponse(status, headers, counted, isLast, isReceived, trailers);
    }

    private static IllegalStateException noStream() {
        return new IllegalStateException("only a stream needs to be told its length");
    }

    @Override
    public Response map(UnaryOperator<Response> change) {
        return switch (body) {
            case Body.Later later -> with(new Body.Later(later.stage(), both(later.change(), change)));
            case Body.File file -> with(new Body.File(file.path(), both(file.change(), change)));
            case Body.Reading reading -> with(new Body.Reading(reading.reader(), both(reading.change(), change)));
            case Body.Collecting collecting ->
                with(new Body.Collecting(collecting.most(), collecting.handler(), both(collecting.change(), change)));
            case Body.Relayed relayed -> with(new Body.Relayed(relayed.relay(), both(relayed.change(), change)));
            case Body.Whole _, Body.Stream _, Body.Blocking _, Body.Pushed _, Body.Events _, Body.Duplex _ ->
                change.apply(this);
        };
    }

    private static UnaryOperator<Response> both(UnaryOperator<Response> first, UnaryOperator<Response> second) {
        return response -> second.apply(first.apply(response));
    }

    /// Whether somebody comes up with status and fields later.
    public boolean isToCome() {
        return switch (body) {
            case Body.Later _, Body.File _, Body.Reading _, Body.Collecting _, Body.Relayed _ -> true;
            case Body.Whole _, Body.Stream _, Body.Blocking _, Body.Pushed _, Body.Events _, Body.Duplex _ -> false;
        };
    }

    private BuiltResponse with(Body content) {
        return with(headers, content);
    }

    /// The same status, with other fields and another body.
    public BuiltResponse with(Headers fields, Body content) {
        return new BuiltResponse(status, fields, content, isLast, isReceived, trailers);
    }

    // For the next time.

    /// What was kept with [#encoded]; null the first times.
    public byte @Nullable [] encoding() {
        return encoding;
    }

    /// Whether it is worth keeping: one that is sent a second time will be sent often.
    public boolean isWorthKeeping() {
        boolean isAgain = wasSent;
        wasSent = true;
        return isAgain;
    }

    public void encoded(byte[] bytes) {
        encoding = bytes;
    }

    private record Kept(Object maker, Coding coding, BuiltResponse answer) {}

    /// What a filter has made of it, and kept.
    @SuppressWarnings("ReferenceEquality") // the object itself
    public Optional<BuiltResponse> kept(Object maker, Coding coding) {
        var known = kept;
        if (known == null || known.maker != maker || known.coding != coding) return Optional.empty();
        return Optional.of(known.answer);
    }

    /// Keeps what a filter has made of it, if that is worth it.
    public void keep(Object maker, Coding coding, BuiltResponse made) {
        if (isWorthKeeping()) kept = new Kept(maker, coding, made);
    }

    // Statuses.

    /// The standard phrase of a status (RFC 9110 section 15).
    public static String phrase(int status) {
        return switch (status) {
            case 100 -> "Continue";
            case 101 -> "Switching Protocols";
            case 102 -> "Processing";
            case 103 -> "Early Hints";
            case 200 -> "OK";
            case 201 -> "Created";
            case 202 -> "Accepted";
            case 203 -> "Non-Authoritative Information";
            case 204 -> "No Content";
            case 205 -> "Reset Content";
            case 206 -> "Partial Content";
            case 300 -> "Multiple Choices";
            case 301 -> "Moved Permanently";
            case 302 -> "Found";
            case 303 -> "See Other";
            case 304 -> "Not Modified";
            case 307 -> "Temporary Redirect";
            case 308 -> "Permanent Redirect";
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 402 -> "Payment Required";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 406 -> "Not Acceptable";
            case 407 -> "Proxy Authentication Required";
            case 408 -> "Request Timeout";
            case 409 -> "Conflict";
            case 410 -> "Gone";
            case 411 -> "Length Required";
            case 412 -> "Precondition Failed";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 415 -> "Unsupported Media Type";
            case 416 -> "Range Not Satisfiable";
            case 417 -> "Expectation Failed";
            case 421 -> "Misdirected Request";
            case 422 -> "Unprocessable Content";
            case 426 -> "Upgrade Required";
            case 428 -> "Precondition Required";
            case 429 -> "Too Many Requests";
            case 431 -> "Request Header Fields Too Large";
            case 451 -> "Unavailable For Legal Reasons";
            case 500 -> "Internal Server Error";
            case 501 -> "Not Implemented";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            case 505 -> "HTTP Version Not Supported";
            default -> "Status " + status;
        };
    }
}
