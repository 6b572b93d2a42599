package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.HttpDate;
import io.millrace.lab.peer.HttpPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;

/// Answers requests without a body, in a channel of their stream or of their connection.
@Sharable
@SuppressWarnings("FutureReturnValueIgnored")
final class NettyHttp2Handler extends ChannelInboundHandlerAdapter {
    private static final AsciiString NAME = AsciiString.cached("Netty");
    private static final AsciiString OK = AsciiString.cached("200");
    private static final AsciiString NOT_FOUND = AsciiString.cached("404");
    private static final byte[] HELLO = HttpPeer.hello();

    private final HttpDate<CharSequence> date;

    NettyHttp2Handler(HttpDate<CharSequence> date) {
        this.date = date;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof Http2HeadersFrame request && request.isEndStream()) answer(context, request);
        else ReferenceCountUtil.release(message);
    }

    private void answer(ChannelHandlerContext context, Http2HeadersFrame request) {
        boolean isKnown = AsciiString.contentEquals(HttpPeer.PLAINTEXT, request.headers().path());
        ByteBuf body = isKnown ? Unpooled.wrappedBuffer(HELLO) : Unpooled.EMPTY_BUFFER;
        Http2Headers headers = new DefaultHttp2Headers(false)
                .status(isKnown ? OK : NOT_FOUND)
                .set(HttpHeaderNames.SERVER, NAME)
                .set(HttpHeaderNames.DATE, date.now())
                .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        var stream = request.stream();
        context.write(new DefaultHttp2HeadersFrame(headers).stream(stream));
        context.write(new DefaultHttp2DataFrame(body, true).stream(stream));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
