package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.HttpPeer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;

/// Sends a message of text back, or to all, as its path says.
@SuppressWarnings("FutureReturnValueIgnored")
final class NettyWebSocketHandler extends SimpleChannelInboundHandler<TextWebSocketFrame> {
    private static final int TEXT_ALL_OF_IT = 0x81;
    private static final int SHORT_LENGTH = 126;
    private static final int LONG_LENGTH = 127;
    private static final int MOST_HEAD_BYTES = 10;

    private final ChannelGroup all;
    private final boolean asBytes;
    private boolean isChat;

    NettyWebSocketHandler(ChannelGroup all, boolean asBytes) {
        this.all = all;
        this.asBytes = asBytes;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (event instanceof WebSocketServerProtocolHandler.HandshakeComplete complete) {
            isChat = complete.requestUri().equals(HttpPeer.SOCKET_CHAT);
            if (isChat) all.add(context.channel());
        }
        super.userEventTriggered(context, event);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, TextWebSocketFrame frame) {
        if (!isChat) context.writeAndFlush(frame.retain());
        else if (asBytes) all.writeAndFlush(encoded(context, frame.content()));
        else all.writeAndFlush(frame.retain());
    }

    private static ByteBuf encoded(ChannelHandlerContext context, ByteBuf text) {
        int length = text.readableBytes();
        ByteBuf frame = context.alloc().buffer(MOST_HEAD_BYTES + length).writeByte(TEXT_ALL_OF_IT);
        if (length < SHORT_LENGTH) frame.writeByte(length);
        else if (length <= 0xffff) frame.writeByte(SHORT_LENGTH).writeShort(length);
        else frame.writeByte(LONG_LENGTH).writeLong(length);
        return frame.writeBytes(text);
    }
}
