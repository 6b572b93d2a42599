package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.Serving;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.ws.WsViolations;
import java.io.ByteArrayInputStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a server makes of WebSockets over HTTP/2 that break the rules: it says why with a close frame, ends their
/// streams, and leaves the connection alone.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2HostileSocketsTest {
    private static String[] asking(boolean isPacked) {
        return isPacked
                ? SentFrames.websocket("/", "sec-websocket-extensions", "permessage-deflate")
                : SentFrames.websocket("/");
    }

    @ParameterizedTest
    @EnumSource
    void a_server_fails_what_it_has_to(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(request -> WebSocket.accept(request, socket -> socket::send));
                var peer = Http2Peer.of(serving)) {
            for (var violation : WsViolations.ofClients()) {
                int id = peer.nextId();
                peer.send(new SentFrames().headers(id, false, asking(violation.isPacked())));
                assertEquals(200, peer.head(id).status);
                peer.part(id, violation.bytes().toArray(), false);
                var reply = peer.reply(id);
                var body = new ByteArrayInputStream(reply.body());
                assertEquals(violation.code(), WsViolations.closeCode(body::readNBytes), violation::toString);
            }
            peer.sync();
        }
    }
}
