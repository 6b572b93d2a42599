package io.millrace.lab.peer.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;

/// A way to reach the kernel: the loops, and the channels that live on them.
record NettyTransport(
        IoHandlerFactory ioHandler,
        Class<? extends ServerChannel> serverChannel,
        Class<? extends Channel> clientChannel) {
    static NettyTransport named(String transport) {
        return switch (transport) {
            case "epoll" ->
                new NettyTransport(
                        EpollIoHandler.newFactory(), EpollServerSocketChannel.class, EpollSocketChannel.class);
            case "io_uring" ->
                new NettyTransport(
                        IoUringIoHandler.newFactory(), IoUringServerSocketChannel.class, IoUringSocketChannel.class);
            default ->
                new NettyTransport(NioIoHandler.newFactory(), NioServerSocketChannel.class, NioSocketChannel.class);
        };
    }

    EventLoopGroup loops(int count) {
        return new MultiThreadIoEventLoopGroup(count, ioHandler);
    }
}
