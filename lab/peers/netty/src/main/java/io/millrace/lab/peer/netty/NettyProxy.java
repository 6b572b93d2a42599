package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.ProxyOptions;
import io.millrace.lab.peer.ProxyPeer;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Netty: a proxy for bytes, or for requests and responses, with the connections to the backend on the loop of the
/// client's connection, on any loop of the server, or on loops of their own.
public final class NettyProxy {
    public static void main(String[] arguments) throws InterruptedException {
        ProxyPeer.run(arguments, NettyProxy::start);
    }

    private static int start(ProxyOptions options) {
        var peer = options.peer().onlyOn("nio", "epoll", "io_uring");
        var transport = NettyTransport.named(peer.transport());
        var allocator = allocator(options.allocator());
        EventLoopGroup loops = transport.loops(peer.loops());
        EventLoopGroup upstreamLoops =
                options.upstreamLoops() == ProxyOptions.UpstreamLoops.OWN ? transport.loops(peer.loops()) : loops;
        var upstream = new Bootstrap()
                .channel(transport.clientChannel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.ALLOCATOR, allocator)
                .remoteAddress(options.backend());
        boolean isSame = options.upstreamLoops() == ProxyOptions.UpstreamLoops.SAME;
        Channel server = new ServerBootstrap()
                .group(loops)
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childHandler(
                        options.layer() == 7
                                ? requests(upstream, isSame, upstreamLoops, options.aggregateBytes())
                                : bytes(upstream, isSame, upstreamLoops))
                .bind(peer.address())
                .syncUninterruptibly()
                .channel();
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    private static ByteBufAllocator allocator(String name) {
        return switch (name) {
            case "pooled" -> PooledByteBufAllocator.DEFAULT;
            case "unpooled" -> UnpooledByteBufAllocator.DEFAULT;
            default -> new AdaptiveByteBufAllocator();
        };
    }

    private static ChannelInitializer<SocketChannel> bytes(Bootstrap upstream, boolean isSame, EventLoopGroup loops) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                var to = upstream.clone(isSame ? channel.eventLoop() : loops);
                NettyRelay.join(channel, to);
            }
        };
    }

    /// Idle connections to the backend are kept for each loop that has connections of clients.
    private static ChannelInitializer<SocketChannel> requests(
            Bootstrap upstream, boolean isSame, EventLoopGroup loops, int aggregateBytes) {
        Map<EventLoop, NettyBackends> backends = new ConcurrentHashMap<>();
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                var ofLoop = backends.computeIfAbsent(
                        channel.eventLoop(),
                        loop -> new NettyBackends(upstream.clone(isSame ? loop : loops), aggregateBytes));
                NettyExchange.serve(channel, ofLoop, aggregateBytes);
            }
        };
    }
}
