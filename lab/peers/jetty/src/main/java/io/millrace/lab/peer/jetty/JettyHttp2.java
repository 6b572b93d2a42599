package io.millrace.lab.peer.jetty;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Identity;
import io.millrace.lab.peer.PeerOptions;
import java.util.Optional;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.SslConnectionFactory;

/// Jetty over HTTP/2: the handlers of [JettyHttp].
public final class JettyHttp2 {
    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.runHttp2(arguments, JettyHttp2::start);
    }

    private static int start(PeerOptions options, Optional<Identity> identity) throws Exception {
        return JettyHttp.start(options, false, factories(identity));
    }

    private static ConnectionFactory[] factories(Optional<Identity> identity) throws Exception {
        var configuration = new HttpConfiguration();
        if (identity.isEmpty()) return new ConnectionFactory[] {new HTTP2CServerConnectionFactory(configuration)};
        var http2 = new HTTP2ServerConnectionFactory(configuration);
        var alpn = new ALPNServerConnectionFactory(http2.getProtocol());
        alpn.setDefaultProtocol(http2.getProtocol());
        var tls = new SslConnectionFactory(JettyHttp.tls(identity.get()), alpn.getProtocol());
        return new ConnectionFactory[] {tls, alpn, http2};
    }
}
