package io.millrace.lab.peer.netty;

import static io.netty.handler.codec.http.HttpHeaderNames.CONNECTION;
import static io.netty.handler.codec.http.HttpHeaderNames.PROXY_AUTHENTICATE;
import static io.netty.handler.codec.http.HttpHeaderNames.PROXY_AUTHORIZATION;
import static io.netty.handler.codec.http.HttpHeaderNames.TE;
import static io.netty.handler.codec.http.HttpHeaderNames.UPGRADE;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.List;

/// Fields that are about one connection and are not passed on (RFC 9110 section 7.6.1). `Transfer-Encoding` stays: by
/// it the codec knows that the next message is in chunks, too.
final class HopByHop {
    private static final List<AsciiString> NAMES = List.of(
            CONNECTION,
            AsciiString.cached("keep-alive"),
            AsciiString.cached("proxy-connection"),
            PROXY_AUTHENTICATE,
            PROXY_AUTHORIZATION,
            TE,
            UPGRADE);

    private HopByHop() {}

    static void remove(HttpHeaders headers) {
        if (headers.contains(CONNECTION)) removeNominated(headers);
        for (AsciiString name : NAMES) {
            headers.remove(name);
        }
    }

    private static void removeNominated(HttpHeaders headers) {
        for (String list : headers.getAll(CONNECTION)) {
            for (String name : list.split(",", -1)) {
                headers.remove(name.strip());
            }
        }
    }
}
