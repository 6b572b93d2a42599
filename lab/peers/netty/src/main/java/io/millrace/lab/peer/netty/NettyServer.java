package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.PeerOptions;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.net.InetSocketAddress;

/// What both Netty peers have in common: the transports, the options of the sockets, and the group of executors that is
/// the pool.
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
        Channel server = new ServerBootstrap()
                .group(new MultiThreadIoEventLoopGroup(options.loops(), ioHandler(options.transport())))
                .channel(serverChannel(options.transport()))
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

    private static IoHandlerFactory ioHandler(String transport) {
        return switch (transport) {
            case "epoll" -> EpollIoHandler.newFactory();
            case "io_uring" -> IoUringIoHandler.newFactory();
            default -> NioIoHandler.newFactory();
        };
    }

    private static Class<? extends ServerChannel> serverChannel(String transport) {
        return switch (transport) {
            case "epoll" -> EpollServerSocketChannel.class;
            case "io_uring" -> IoUringServerSocketChannel.class;
            default -> NioServerSocketChannel.class;
        };
    }
}
