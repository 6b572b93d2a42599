package io.millrace.lab.peer.netty;

import static io.netty.handler.codec.http.HttpHeaderNames.CONNECTION;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;
import static io.netty.handler.codec.http.HttpHeaderNames.DATE;
import static io.netty.handler.codec.http.HttpHeaderNames.SERVER;
import static io.netty.handler.codec.http.HttpHeaderValues.CLOSE;
import static io.netty.handler.codec.http.HttpHeaderValues.TEXT_PLAIN;
import static io.netty.handler.codec.http.HttpVersion.HTTP_1_1;

import io.millrace.lab.peer.HttpDate;
import io.millrace.lab.peer.HttpPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;

/// Answers the requests of one connection. A body to echo is collected without copying it; no other request has one
/// that
/// anybody wants.
@SuppressWarnings("FutureReturnValueIgnored")
final class NettyHttpHandler extends ChannelInboundHandlerAdapter {
    private static final AsciiString NAME = AsciiString.cached("Netty");
    private static final byte[] HELLO = HttpPeer.hello();

    private final HttpDate<CharSequence> date;
    private final boolean isClosing;
    /// Of the request that is being read, as far as it came; null when it is none that is echoed.
    private CompositeByteBuf echo;
    /// Whether the connection ends with the response to the request that is being read.
    private boolean isLast;

    private boolean hasEnded;

    NettyHttpHandler(HttpDate<CharSequence> date, boolean isClosing) {
        this.date = date;
        this.isClosing = isClosing;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (hasEnded) {
            ReferenceCountUtil.release(message);
            return;
        }
        switch (message) {
            case HttpRequest request -> begin(context, request);
            case HttpContent content when echo != null -> collect(context, content);
            default -> ReferenceCountUtil.release(message);
        }
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) {
        isLast = isClosing || !HttpUtil.isKeepAlive(request);
        switch (request.uri()) {
            case HttpPeer.PLAINTEXT -> answer(context, HttpResponseStatus.OK, Unpooled.wrappedBuffer(HELLO));
            case HttpPeer.ECHO -> echo = context.alloc().compositeBuffer();
            default -> answer(context, HttpResponseStatus.NOT_FOUND, Unpooled.EMPTY_BUFFER);
        }
    }

    private void collect(ChannelHandlerContext context, HttpContent content) {
        echo.addComponent(true, content.content());
        if (content instanceof LastHttpContent) {
            ByteBuf body = echo;
            echo = null;
            answer(context, HttpResponseStatus.OK, body);
        }
    }

    private void answer(ChannelHandlerContext context, HttpResponseStatus status, ByteBuf body) {
        var response = new DefaultFullHttpResponse(HTTP_1_1, status, body);
        response.headers()
                .set(SERVER, NAME)
                .set(DATE, date.now())
                .set(CONTENT_TYPE, TEXT_PLAIN)
                .setInt(CONTENT_LENGTH, body.readableBytes());
        if (isLast) {
            hasEnded = true;
            response.headers().set(CONNECTION, CLOSE);
            context.write(response).addListener(ChannelFutureListener.CLOSE);
        } else {
            context.write(response, context.voidPromise());
        }
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
    public void channelInactive(ChannelHandlerContext context) {
        ReferenceCountUtil.release(echo);
        echo = null;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
