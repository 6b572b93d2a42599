package io.millrace.lab.peer.helidon;

import io.helidon.webserver.http2.Http2Config;
import io.millrace.lab.peer.HttpPeer;

/// Helidon SE over HTTP/2: the handlers of [HelidonHttp], on a virtual thread for each stream.
public final class HelidonHttp2 {
    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.runHttp2(
                arguments, (options, identity) -> HelidonHttp.start(options, false, identity, Http2Config.create()));
    }
}
