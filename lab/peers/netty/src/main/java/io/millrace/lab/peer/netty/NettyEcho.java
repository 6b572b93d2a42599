package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/// Netty: each of its transports; the pool is a group of executors, each connection bound to one of them.
public final class NettyEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, NettyEcho::start);
    }

    // The other way to leave the loop is to write the hand-over by hand.
    @SuppressWarnings("deprecation")
    private static int start(PeerOptions options) {
        return NettyServer.start(options, (pipeline, executors) -> pipeline.addLast(executors, new Echo()));
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
