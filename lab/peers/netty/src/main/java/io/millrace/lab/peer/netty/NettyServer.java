package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.PeerOptions;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetSocketAddress;

/// What both Netty servers have in common: the options of the sockets, and the group of executors that is the pool.
final class NettyServer {
    /// Fills the pipeline of a connection.
    @FunctionalInterface
    interface Handlers {
        /// Adds its handlers.
        ///
        /// @param executors runs the last handler; null when the loop does
        void addTo(ChannelPipeline pipeline, EventExecutorGroup executors);
    }

    private NettyServer() {}

    static int start(PeerOptions options, Handlers handlers) {
        options.onlyOn("nio", "epoll", "io_uring");
        EventExecutorGroup executors = options.isPooled() ? new DefaultEventExecutorGroup(options.poolThreads()) : null;
        var transport = NettyTransport.named(options.transport());
        Channel server = new ServerBootstrap()
                .group(transport.loops(options.loops()))
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        handlers.addTo(channel.pipeline(), executors);
                    }
                })
                .bind(options.address())
                .syncUninterruptibly()
                .channel();
        return ((InetSocketAddress) server.localAddress()).getPort();
    }
}
