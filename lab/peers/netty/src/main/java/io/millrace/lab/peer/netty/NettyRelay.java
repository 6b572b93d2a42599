package io.millrace.lab.peer.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;

/// One side of two connections that are joined: what is read here is written there. Of each side its own loop.
@SuppressWarnings("FutureReturnValueIgnored")
final class NettyRelay extends ChannelInboundHandlerAdapter {
    /// Set before the first byte is read.
    private Channel other;

    private NettyRelay(Channel other) {
        this.other = other;
    }

    /// Joins a client's connection with a new one; nothing is read from the client before that is there.
    static void join(SocketChannel client, Bootstrap to) {
        client.config().setAutoRead(false);
        var fromClient = new NettyRelay(null);
        client.pipeline().addLast(fromClient);
        to.handler(new NettyRelay(client)).connect().addListener((ChannelFutureListener) connected -> {
            if (connected.isSuccess() && client.isActive()) {
                fromClient.other = connected.channel();
                client.config().setAutoRead(true);
            } else {
                connected.channel().close();
                client.close();
            }
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        other.write(message, other.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        other.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (other != null) {
            other.config().setAutoRead(context.channel().isWritable());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (other != null) {
            other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
