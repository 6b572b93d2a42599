package io.millrace.lab.peer.netty;

import static io.netty.handler.codec.http.HttpHeaderNames.CONNECTION;
import static io.netty.handler.codec.http.HttpHeaderNames.TRANSFER_ENCODING;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/// A connection to the backend: passes on the response to the exchange that has it. Its own loop's, but for what says
/// otherwise.
@SuppressWarnings("FutureReturnValueIgnored")
final class NettyBackend extends ChannelInboundHandlerAdapter {
    private final Channel channel;

    /// Whose response is to come; null between two. Set by the loop of the client before it writes the request.
    private volatile NettyExchange exchange;

    private boolean isInterim;
    private boolean hasBegun;
    private boolean keepsAlive;

    NettyBackend(Channel channel) {
        this.channel = channel;
    }

    /// Any thread's.
    Channel channel() {
        return channel;
    }

    /// Of the client's loop.
    void serve(NettyExchange next) {
        exchange = next;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        var current = exchange;
        if (current == null) {
            // Nobody asked.
            ReferenceCountUtil.release(message);
            context.close();
            return;
        }
        if (message instanceof HttpResponse response) {
            isInterim = response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
            if (!isInterim) begin(response, current);
        }
        boolean isLast = message instanceof LastHttpContent;
        if (isInterim) ReferenceCountUtil.release(message);
        else if (isLast) end(message, current);
        else current.client().write(message, current.client().voidPromise());
    }

    private void begin(HttpResponse response, NettyExchange current) {
        hasBegun = true;
        keepsAlive = HttpUtil.isKeepAlive(response);
        HopByHop.remove(response.headers());
        boolean hasLength = HttpUtil.isContentLengthSet(response) || HttpUtil.isTransferEncodingChunked(response);
        if (current.isOld()) response.headers().remove(TRANSFER_ENCODING);
        else if (!hasLength && mayHaveBody(response, current)) HttpUtil.setTransferEncodingChunked(response, true);
        if (!current.keepsClient()) response.headers().set(CONNECTION, HttpHeaderValues.CLOSE);
        else if (current.isOld()) response.headers().set(CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }

    private static boolean mayHaveBody(HttpResponse response, NettyExchange current) {
        return !current.isHead()
                && response.status().code() != HttpResponseStatus.NO_CONTENT.code()
                && response.status().code() != HttpResponseStatus.NOT_MODIFIED.code();
    }

    private void end(Object last, NettyExchange current) {
        boolean isReusable = keepsAlive;
        exchange = null;
        hasBegun = false;
        current.onLoop(() -> current.end(this, last, isReusable));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        var current = exchange;
        if (current != null) current.client().flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        var current = exchange;
        if (current != null) current.onLoop(current::readAsFits);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        var current = exchange;
        boolean isBegun = hasBegun;
        exchange = null;
        if (current != null) current.onLoop(() -> current.fail(this, isBegun));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
