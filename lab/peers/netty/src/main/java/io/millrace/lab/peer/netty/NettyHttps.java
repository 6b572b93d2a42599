package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.HttpDate;
import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.PeerOptions;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.AsciiString;
import java.io.File;
import java.util.Arrays;
import javax.net.ssl.SSLException;

/// The same over TLS: `--provider jdk|openssl --cert FILE --key FILE` in front of the options of [NettyHttp].
public final class NettyHttps {
    private static final int OWN_OPTIONS = 6;

    public static void main(String[] arguments) throws InterruptedException, SSLException {
        SslContext context = SslContextBuilder.forServer(new File(value(arguments, 2)), new File(value(arguments, 4)))
                .sslProvider(SslProvider.valueOf(value(arguments, 0).toUpperCase(java.util.Locale.ROOT)))
                .build();
        String[] others = Arrays.copyOfRange(arguments, OWN_OPTIONS, arguments.length);
        HttpPeer.run(others, (options, isClosing) -> start(options, isClosing, context));
    }

    private static String value(String[] arguments, int option) {
        String expected = new String[] {"--provider", "--cert", "--key"}[option / 2];
        if (arguments.length >= OWN_OPTIONS && arguments[option].equals(expected)) return arguments[option + 1];
        throw new IllegalArgumentException("begin with --provider jdk|openssl --cert FILE --key FILE");
    }

    // The other way to leave the loop is to write the hand-over by hand.
    @SuppressWarnings("deprecation")
    private static int start(PeerOptions options, boolean isClosing, SslContext context) {
        var date = new HttpDate<CharSequence>(AsciiString::cached);
        return NettyServer.start(
                options,
                (pipeline, executors) -> pipeline.addLast(
                                context.newHandler(pipeline.channel().alloc()))
                        .addLast(new HttpServerCodec())
                        .addLast(executors, new NettyHttpHandler(date, isClosing)));
    }
}
