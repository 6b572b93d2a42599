package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateServerExtensionHandshaker;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Netty's WebSockets: its protocol handler, and messages to all through a `ChannelGroup`, as frames that each channel
/// encodes (`--broadcast frames`, the default), or as the bytes of one frame (`--broadcast bytes`, without
/// compression).
public final class NettyWebSocket {
    private static final int LEVEL = 6;
    private static final int MOST_REQUEST_BYTES = 64 << 10;
    private static final int MOST_FRAME_BYTES = 1 << 20;

    public static void main(String[] arguments) throws InterruptedException {
        List<String> others = new ArrayList<>(Arrays.asList(arguments));
        boolean asBytes = asBytes(HttpPeer.take("--broadcast", others).orElse("frames"));
        Peer.run(others.toArray(String[]::new), options -> start(options, asBytes));
    }

    private static boolean asBytes(String broadcast) {
        if (broadcast.equals("bytes")) return true;
        if (broadcast.equals("frames")) return false;
        throw new IllegalArgumentException("--broadcast " + broadcast + " is unknown; say frames or bytes");
    }

    /// That of `WebSocketServerCompressionHandler`, for clients, too, that want each message compressed by itself.
    private static WebSocketServerExtensionHandler compression() {
        return new WebSocketServerExtensionHandler(new PerMessageDeflateServerExtensionHandshaker(
                LEVEL, false, PerMessageDeflateServerExtensionHandshaker.MAX_WINDOW_SIZE, true, true, 0));
    }

    private static int start(PeerOptions options, boolean asBytes) {
        ChannelGroup all = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
        var config = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath(HttpPeer.SOCKET_ECHO)
                .checkStartsWith(true)
                .allowExtensions(!asBytes)
                .maxFramePayloadLength(MOST_FRAME_BYTES)
                .build();
        return NettyServer.start(options.onlyInline(), (pipeline, executors) -> {
            pipeline.addLast(new HttpServerCodec());
            pipeline.addLast(new HttpObjectAggregator(MOST_REQUEST_BYTES));
            if (!asBytes) pipeline.addLast(compression());
            pipeline.addLast(new WebSocketServerProtocolHandler(config));
            pipeline.addLast(new NettyWebSocketHandler(all, asBytes));
        });
    }
}
