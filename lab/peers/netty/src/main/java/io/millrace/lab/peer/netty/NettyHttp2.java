package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.HttpDate;
import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Identity;
import io.millrace.lab.peer.PeerOptions;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;

/// Netty over HTTP/2: `Http2FrameCodec`, and behind it a channel for each stream (`--streams channels`, the default),
/// or one handler for all of them (`--streams frames`). Over TLS it has the option `--engine` of [NettyHttp].
public final class NettyHttp2 {
    public static void main(String[] arguments) throws InterruptedException {
        List<String> others = new ArrayList<>(Arrays.asList(arguments));
        boolean hasChannels = hasChannels(HttpPeer.take("--streams", others).orElse("channels"));
        var engine = NettyHttp.engine(others);
        HttpPeer.runHttp2(
                others.toArray(String[]::new),
                (options, identity) -> start(options, hasChannels, context(identity, engine)));
    }

    private static boolean hasChannels(String streams) {
        if (streams.equals("channels")) return true;
        if (streams.equals("frames")) return false;
        throw new IllegalArgumentException("--streams " + streams + " is unknown; say channels or frames");
    }

    private static Optional<SslContext> context(Optional<Identity> identity, SslProvider engine) throws SSLException {
        if (identity.isEmpty()) return Optional.empty();
        var protocols = new ApplicationProtocolConfig(
                ApplicationProtocolConfig.Protocol.ALPN,
                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                ApplicationProtocolNames.HTTP_2);
        var who = SslContextBuilder.forServer(identity.get().chain(), identity.get().key());
        return Optional.of(
                who.sslProvider(engine).applicationProtocolConfig(protocols).build());
    }

    private static int start(PeerOptions options, boolean hasChannels, Optional<SslContext> tls) {
        var handler = new NettyHttp2Handler(new HttpDate<CharSequence>(AsciiString::cached));
        return NettyServer.start(options.onlyInline(), (pipeline, executors) -> {
            tls.ifPresent(its -> pipeline.addLast(its.newHandler(pipeline.channel().alloc())));
            pipeline.addLast(Http2FrameCodecBuilder.forServer().build());
            add(pipeline, hasChannels, handler);
        });
    }

    private static void add(ChannelPipeline to, boolean hasChannels, NettyHttp2Handler handler) {
        if (hasChannels) to.addLast(new Http2MultiplexHandler(handler));
        else to.addLast(handler);
    }
}
