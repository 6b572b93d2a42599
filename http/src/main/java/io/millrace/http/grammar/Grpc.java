package io.millrace.http.grammar;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/// What gRPC writes into fields of HTTP (its protocol over HTTP/2), as far as servers and proxies need it.
public final class Grpc {
    /// The field with the outcome of a call: a trailer, or a field of a head without a body.
    public static final String STATUS = "grpc-status";

    /// The field that says more about it, in percent-encoding.
    public static final String MESSAGE = "grpc-message";

    public static final String MEDIA_TYPE = "application/grpc";

    /// The only method of calls.
    public static final String METHOD = "POST";

    /// No outcome.
    public static final int NONE = -1;

    public static final int OK = 0;
    public static final int CANCELLED = 1;
    public static final int DEADLINE_EXCEEDED = 4;
    public static final int RESOURCE_EXHAUSTED = 8;
    public static final int INTERNAL = 13;
    public static final int UNAVAILABLE = 14;

    /// The greatest status that there is.
    public static final int MOST_STATUS = 16;

    private static final int UNKNOWN = 2;
    private static final int PERMISSION_DENIED = 7;
    private static final int UNIMPLEMENTED = 12;
    private static final int UNAUTHENTICATED = 16;

    private Grpc() {}

    /// Whether a request with this `Content-Type` is a call, if its method is [#METHOD]: of most others that is all
    /// that has to be read.
    public static boolean isCall(Optional<String> contentType) {
        return contentType.isPresent() && isCall(contentType.get());
    }

    /// Whether a `Content-Type` is that of a call: `application/grpc`, also with a format like `+proto`; not that of
    /// gRPC-Web.
    private static boolean isCall(String contentType) {
        int length = MEDIA_TYPE.length();
        if (!contentType.regionMatches(true, 0, MEDIA_TYPE, 0, length)) return false;
        if (contentType.length() == length) return true;
        char next = contentType.charAt(length);
        return next == '+' || next == ';' || next == ' ';
    }

    /// A text as [#MESSAGE] has it: what is no visible ASCII, in percent-encoding.
    public static String message(String text) {
        var encoded = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b >= ' ' && b <= '~' && b != '%') encoded.append((char) b);
            else encoded.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
        }
        return encoded.toString();
    }

    /// The number that a `grpc-status` says; one that is no status if it says something else.
    public static int status(String value) {
        boolean isNumber = !value.isEmpty() && value.length() <= 2;
        for (int i = 0; i < value.length(); i++) isNumber &= value.charAt(i) >= '0' && value.charAt(i) <= '9';
        return isNumber ? Integer.parseInt(value) : MOST_STATUS + 1;
    }

    /// The status of gRPC for one of HTTP, as clients map it, too; and for what is too large, which clients of gRPC
    /// call like that.
    public static int ofHttp(int status) {
        return switch (status) {
            case 400 -> INTERNAL;
            case 401 -> UNAUTHENTICATED;
            case 403 -> PERMISSION_DENIED;
            case 404 -> UNIMPLEMENTED;
            case 413, 431 -> RESOURCE_EXHAUSTED;
            case 429, 502, 503, 504 -> UNAVAILABLE;
            default -> UNKNOWN;
        };
    }
}
