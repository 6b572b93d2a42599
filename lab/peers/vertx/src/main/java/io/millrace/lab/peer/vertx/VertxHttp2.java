package io.millrace.lab.peer.vertx;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Identity;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.util.Optional;

/// Vert.x over HTTP/2, which it speaks by itself in clear text: the handlers of [VertxHttp].
public final class VertxHttp2 {
    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.runHttp2(
                arguments, (options, identity) -> VertxHttp.start(options.onlyInline(), false, server(identity)));
    }

    private static HttpServerOptions server(Optional<Identity> identity) {
        var server = new HttpServerOptions();
        if (identity.isEmpty()) return server;
        var who = new PemKeyCertOptions()
                .setCertPath(identity.get().chain().getPath())
                .setKeyPath(identity.get().key().getPath());
        return server.setSsl(true).setUseAlpn(true).setKeyCertOptions(who);
    }
}
