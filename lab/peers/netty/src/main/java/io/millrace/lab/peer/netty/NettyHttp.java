package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.HttpDate;
import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Identity;
import io.millrace.lab.peer.PeerOptions;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLException;

/// Netty: `HttpServerCodec`, and a handler behind it; transports and pool are those of the echo peer. Over TLS it has
/// one option more: `--engine jdk|openssl`, the default being the first.
public final class NettyHttp {
    public static void main(String[] arguments) throws InterruptedException {
        List<String> others = new ArrayList<>(Arrays.asList(arguments));
        var engine = engine(others);
        HttpPeer.runTls(
                others.toArray(String[]::new),
                (options, isClosing, identity) -> start(options, isClosing, context(identity, engine)));
    }

    /// Taken out of the options.
    static SslProvider engine(List<String> options) {
        return SslProvider.valueOf(
                HttpPeer.take("--engine", options).orElse("jdk").toUpperCase(Locale.ROOT));
    }

    private static Optional<SslContext> context(Optional<Identity> identity, SslProvider engine) throws SSLException {
        if (identity.isEmpty()) return Optional.empty();
        var who = SslContextBuilder.forServer(identity.get().chain(), identity.get().key());
        return Optional.of(who.sslProvider(engine).build());
    }

    // The other way to leave the loop is to write the hand-over by hand.
    @SuppressWarnings("deprecation")
    private static int start(PeerOptions options, boolean isClosing, Optional<SslContext> tls) {
        var date = new HttpDate<CharSequence>(AsciiString::cached);
        return NettyServer.start(options, (pipeline, executors) -> {
            tls.ifPresent(its -> pipeline.addLast(its.newHandler(pipeline.channel().alloc())));
            pipeline.addLast(new HttpServerCodec()).addLast(executors, new NettyHttpHandler(date, isClosing));
        });
    }
}
