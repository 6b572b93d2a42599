package io.millrace.lab.load;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.grammar.Syntax;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Requests to an HTTP server, all alike unless they are numbered, and the expected responses: made with
/// [#get], then changed by methods that return a changed copy. What must not be sent is refused with
/// [IllegalArgumentException].
///
/// @param method    of a request
/// @param target    path and query, or `*`, sent as they are
/// @param headers   of a request, but for `Content-Length` and `Connection`, which follow from the rest
/// @param body      of a request
/// @param status    of a right response, or [#ANY_SUCCESS]
/// @param length    of the body of a right response, in bytes, or [#AS_THE_FIRST], or [#ANY_LENGTH]
/// @param isClosing whether each request has a connection of its own
public record HttpMessages(
        String method, String target, Headers headers, Bytes body, int status, long length, boolean isClosing)
        implements LoadMessages {
    /// Every status from 200 to 299 is right.
    public static final int ANY_SUCCESS = 0;

    /// Bodies have to be as long as that of the first response with a right status.
    public static final long AS_THE_FIRST = -1;

    /// Bodies may have any length.
    public static final long ANY_LENGTH = -2;

    /// RFC 9110 section 8.6: these tell the length of their body, even when there is none.
    private static final List<String> WITH_CONTENT = List.of("POST", "PUT", "PATCH");

    /// Its value in a request is the request's number on its connection.
    static final String NUMBER = "X-Request-Number";

    static final int NUMBER_DIGITS = 12;

    private static final List<String> FRAMING = List.of("Content-Length", "Transfer-Encoding");

    public HttpMessages {
        Syntax.checkMethod(method);
        require(!method.equals("CONNECT"), "CONNECT asks for a tunnel, which has no responses: take another method");
        require(target.startsWith("/") || target.equals("*"), "the target '" + target + "' has to begin with a slash");
        require(
                target.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '#'),
                "the target '" + target + "' has a character that may not be sent: write it as %xx");
        for (var name : FRAMING) {
            require(!headers.has(name), name + " follows from the body: leave it out");
        }
        require(
                body.length() <= LoadSettings.MAX_SIZE_BYTES,
                "a body of " + body.length() + " bytes: take at most " + LoadSettings.MAX_SIZE_BYTES);
        require(status == ANY_SUCCESS || (status >= 200 && status <= 599), "status " + status + ": take 200 to 599");
        require(length >= ANY_LENGTH, "a length of " + length + ": take 0 or more");
    }

    private static void require(boolean isSo, String otherwise) {
        if (!isSo) throw new IllegalArgumentException(otherwise);
    }

    /// `GET`, for a response with any status from 200 to 299 and a body as long as that of the first one.
    ///
    /// @param host of the URL, with its port, for the field `Host`
    public static HttpMessages get(String host, String target) {
        var headers = Headers.EMPTY.with("Host", host);
        return new HttpMessages("GET", target, headers, Bytes.EMPTY, ANY_SUCCESS, AS_THE_FIRST, false);
    }

    public HttpMessages method(String name) {
        return new HttpMessages(name, target, headers, body, status, length, isClosing);
    }

    /// With one more field, or another `Host`.
    public HttpMessages header(String name, String value) {
        var others = name.equalsIgnoreCase("Host") ? headers.without(name) : headers;
        return new HttpMessages(method, target, others.with(name, value), body, status, length, isClosing);
    }

    public HttpMessages body(Bytes bytes) {
        return new HttpMessages(method, target, headers, bytes, status, length, isClosing);
    }

    public HttpMessages expectingStatus(int code) {
        return new HttpMessages(method, target, headers, body, code, length, isClosing);
    }

    public HttpMessages expectingLength(long bytes) {
        return new HttpMessages(method, target, headers, body, status, bytes, isClosing);
    }

    /// Each request on a connection of its own, with a request to close it after the response.
    public HttpMessages closing() {
        return new HttpMessages(method, target, headers, body, status, length, true);
    }

    /// Each request with its number in a field, so that no two are equal in a row.
    public HttpMessages numbered() {
        return header(NUMBER, "0".repeat(NUMBER_DIGITS));
    }

    /// The same in HTTP/2.
    ///
    /// @param scheme of the URL, `http` or `https`
    /// @throws IllegalArgumentException with a sentence, for requests that HTTP/2 cannot carry
    public Http2Messages overHttp2(String scheme) {
        return new Http2Messages(this, scheme);
    }

    /// The expected status, as text.
    String statusInWords() {
        return status == ANY_SUCCESS ? "2xx" : Integer.toString(status);
    }

    /// The expected length, as text.
    String lengthInWords() {
        if (length == AS_THE_FIRST) return "that of the first";
        return length == ANY_LENGTH ? "any" : Long.toString(length);
    }

    /// A request as it is sent (RFC 9112 section 3).
    byte[] request() {
        var head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        headers.forEach((name, value) -> line(head, name, value));
        if (isClosing) line(head, "Connection", "close");
        if (hasLength()) line(head, "Content-Length", Integer.toString(body.length()));
        var request = new ByteArrayOutputStream();
        request.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(body.toArray());
        return request.toByteArray();
    }

    /// Whether a request tells the length of its body.
    boolean hasLength() {
        return body.length() > 0 || WITH_CONTENT.contains(method);
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }
}
