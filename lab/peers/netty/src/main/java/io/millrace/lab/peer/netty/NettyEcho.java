package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
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

/// Netty: each of its transports; the pool is a group of executors, each connection bound to one of them.
public final class NettyEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, NettyEcho::start);
    }

    private static int start(PeerOptions options) {
        options.onlyOn("nio", "epoll", "io_uring");
        EventExecutorGroup handlers = options.isPooled() ? new DefaultEventExecutorGroup(options.poolThreads()) : null;
        Channel server = new ServerBootstrap()
                .group(new MultiThreadIoEventLoopGroup(options.loops(), ioHandler(options.transport())))
                .channel(serverChannel(options.transport()))
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    // The other way to leave the loop is to write the hand-over by hand.
                    @Override
                    @SuppressWarnings("deprecation")
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(handlers, new Echo());
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

    @SuppressWarnings("FutureReturnValueIgnored")
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (!context.channel().isWritable()) {
                context.flush();
            }
            // Asked again: the flush may have made room at once, and the news of that came in between.
            context.channel().config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
