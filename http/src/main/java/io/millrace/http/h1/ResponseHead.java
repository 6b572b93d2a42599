package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.grammar.ReasonPhrase;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.HopByHop;

/// Writes status line and fields (RFC 9112 section 4), and the body of a whole response.
///
/// ```
///   HTTP/1.1 200 OK            ┐
///   Content-Type: text/plain   │ the same each time: kept with a response that is sent often
///   Content-Length: 13         ┘
///   Date: …                      once a second
///   Connection: close            when it is the last
/// ```
final class ResponseHead {
    private static final byte[] CLOSE = Syntax.latin1("Connection: close\r\n");
    private static final byte[] KEEP_ALIVE = Syntax.latin1("Connection: keep-alive\r\n");
    private static final byte[] CHUNKED = Syntax.latin1("Transfer-Encoding: chunked\r\n");
    private static final byte[] LENGTH = Syntax.latin1("Content-Length: ");
    private static final byte[] VERSION = Syntax.latin1("HTTP/1.1 ");
    private static final byte[] OK = Syntax.latin1("HTTP/1.1 200 OK\r\n");

    private ResponseHead() {}

    /// The response as this server sends it: without a backend's fields about its own connection and framing.
    static BuiltResponse ours(BuiltResponse answer) {
        return answer.isReceived() ? answer.passedOn(HopByHop.endToEnd(answer.headers())) : answer;
    }

    /// The head of a whole response.
    public static void writeWhole(
            BuiltResponse answer, int length, boolean keepsAlive, boolean isOldPeer, WireText out) {
        var known = answer.encoding();
        if (known != null) out.put(known);
        else writeFixed(answer, length, out);
        writeRest(answer, keepsAlive, isOldPeer, out);
    }

    private static void writeFixed(BuiltResponse answer, int length, WireText out) {
        int begin = out.length();
        writeStatus(answer, out);
        if (BodyFraming.of(answer.status(), length, false) == BodyFraming.LENGTH)
            out.put(LENGTH).decimal(length).end();
        if (answer.isWorthKeeping()) answer.encoded(out.copy(begin));
    }

    /// The head of a response whose body follows.
    static void writeStreamed(
            BuiltResponse answer,
            BodyFraming framing,
            long length,
            boolean keepsAlive,
            boolean isOldPeer,
            WireText out) {
        writeStatus(answer, out);
        switch (framing) {
            case LENGTH -> out.put(LENGTH).decimal(length).end();
            case CHUNKED -> out.put(CHUNKED);
            case CLOSE, NO_BODY -> {}
        }
        writeRest(answer, keepsAlive, isOldPeer, out);
    }

    /// An interim response (RFC 9110 section 15.2).
    static void writeInterim(int status, Headers fields, WireText out) {
        out.put(VERSION).decimal(status).put(" ").put(ReasonPhrase.of(status)).end();
        write(fields, out);
        out.end();
    }

    /// The protocol changes after it (RFC 9110 section 15.2.2).
    static void writeUpgrade(Headers headers, WireText out) {
        out.put(VERSION).put("101 ").put(ReasonPhrase.of(101)).end();
        write(HopByHop.endToEnd(headers), out);
        headers.first("Upgrade").ifPresent(protocol -> out.line("Upgrade", protocol));
        out.line("Connection", "Upgrade").end();
    }

    /// The response to CONNECT: a tunnel follows (RFC 9110 section 9.3.6).
    static void writeTunnel(WireText out) {
        out.put(OK).date();
        out.end();
    }

    private static void writeStatus(BuiltResponse answer, WireText out) {
        if (answer.status() == 200) out.put(OK);
        else
            out.put(VERSION)
                    .decimal(answer.status())
                    .put(" ")
                    .put(ReasonPhrase.of(answer.status()))
                    .end();
        write(answer.headers(), out);
    }

    private static void write(Headers headers, WireText out) {
        if (headers instanceof WireHeaders wire) {
            wire.writeTo(out);
            return;
        }
        for (int i = 0; i < headers.size(); i++) out.line(headers.name(i), headers.value(i));
    }

    private static void writeRest(BuiltResponse answer, boolean keepsAlive, boolean isOldPeer, WireText out) {
        if (!answer.isDated()) out.date();
        if (!keepsAlive) out.put(CLOSE);
        else if (isOldPeer) out.put(KEEP_ALIVE);
        out.end();
    }
}
