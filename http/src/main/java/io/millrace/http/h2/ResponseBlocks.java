package io.millrace.http.h2;

import io.millrace.http.Headers;
import io.millrace.http.grammar.DateField;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.HopByHop;

/// Writes the heads of responses (RFC 9113 section 8.3.2).
final class ResponseBlocks {
    private final ServerConnection connection;
    private final HpackEncoder encoder;

    ResponseBlocks(ServerConnection connection) {
        this.connection = connection;
        this.encoder = connection.encoder;
    }

    /// An interim response (RFC 9110 section 15.2).
    void interim(int id, int status, Headers fields) {
        var text = connection.beginBlock(id, false);
        encoder.status(status, text);
        fields(fields, text);
        connection.endBlock();
    }

    /// A tunnel follows (RFC 9113 section 8.5, RFC 8441 section 5).
    void tunnel(int id, Headers fields) {
        var text = connection.beginBlock(id, false);
        encoder.status(200, text);
        fields(fields, text);
        if (!fields.has("date")) encoder.field("date", date(), text);
        connection.endBlock();
    }

    /// @param length of the body in bytes, or [Body#UNKNOWN]
    /// @param isAll whether no body follows
    void whole(int id, BuiltResponse response, long length, boolean isAll) {
        var text = connection.beginBlock(id, isAll);
        int status = response.status();
        encoder.status(status, text);
        var headers = response.headers();
        fields(response.isReceived() ? HopByHop.endToEnd(headers) : headers, text);
        if (length != Body.UNKNOWN && status != 204 && status != 304)
            encoder.field("content-length", decimal(length), text);
        if (!response.isDated()) encoder.field("date", date(), text);
        connection.endBlock();
    }

    private String date() {
        return DateField.at(connection.loop.wallClock().getAsLong());
    }

    private void fields(Headers fields, HpackBlock text) {
        for (int i = 0; i < fields.size(); i++) {
            if (!isOfConnection(fields.name(i))) encoder.field(fields, i, text);
        }
    }

    /// RFC 9113 section 8.2.2.
    private static boolean isOfConnection(String name) {
        return switch (name.length()) {
            case 2 -> name.equalsIgnoreCase("te");
            case 7 -> name.equalsIgnoreCase("upgrade");
            case 10 -> name.equalsIgnoreCase("connection") || name.equalsIgnoreCase("keep-alive");
            case 16 -> name.equalsIgnoreCase("proxy-connection");
            case 17 -> name.equalsIgnoreCase("transfer-encoding");
            default -> false;
        };
    }

    private static final String[] LENGTHS = new String[1024];

    private static String decimal(long length) {
        if (length >= LENGTHS.length) return Long.toString(length);
        var known = LENGTHS[(int) length];
        if (known == null) LENGTHS[(int) length] = known = Long.toString(length);
        return known;
    }
}
