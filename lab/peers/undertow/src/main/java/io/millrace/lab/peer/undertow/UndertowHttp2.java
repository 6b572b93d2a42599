package io.millrace.lab.peer.undertow;

import io.millrace.lab.peer.HttpPeer;

/// Undertow over HTTP/2: [UndertowHttp] with that switched on.
public final class UndertowHttp2 {
    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.runHttp2(arguments, (options, identity) -> UndertowHttp.start(options, false, true, identity));
    }
}
