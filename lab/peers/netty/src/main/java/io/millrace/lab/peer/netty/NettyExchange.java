package io.millrace.lab.peer.netty;

import static io.netty.handler.codec.http.HttpHeaderNames.CONNECTION;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderValues.CLOSE;
import static io.netty.handler.codec.http.HttpResponseStatus.BAD_GATEWAY;
import static io.netty.handler.codec.http.HttpResponseStatus.BAD_REQUEST;
import static io.netty.handler.codec.http.HttpVersion.HTTP_1_1;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerExpectContinueHandler;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/// The requests of one client's connection, one after the other. Of the connection's loop, which backends on other
/// loops ask by [#onLoop].
///
/// ```
///   IDLE ── request ──▶ a backend is free, or connects ──▶ the request goes on ──▶ its response is complete ──▶ IDLE
/// ```
/// What the client sends ahead of that waits.
@SuppressWarnings("FutureReturnValueIgnored")
final class NettyExchange extends ChannelInboundHandlerAdapter {
    private final Channel client;
    private final NettyBackends backends;

    private final Deque<Object> waiting = new ArrayDeque<>();
    /// Of the request under way; null while there is none, and while it is being connected.
    private NettyBackend backend;
    private boolean isBusy;
    /// Whether all of the request has gone on.
    private boolean isSent;
    private boolean isOver;

    // Of the request under way; backends read them after they got it.
    private boolean keepsClient;
    private boolean isOld;
    private boolean isHead;

    private NettyExchange(Channel client, NettyBackends backends) {
        this.client = client;
        this.backends = backends;
    }

    static void serve(SocketChannel client, NettyBackends backends, int aggregateBytes) {
        client.pipeline()
                .addLast(new HttpServerCodec())
                .addLast(
                        aggregateBytes > 0
                                ? new HttpObjectAggregator(aggregateBytes)
                                : new HttpServerExpectContinueHandler())
                .addLast(new NettyExchange(client, backends));
    }

    // Requests.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (isOver) ReferenceCountUtil.release(message);
        else if (mustWait()) waiting.addLast(message);
        else pass(message);
    }

    private boolean mustWait() {
        return !waiting.isEmpty() || isHeldUp();
    }

    private boolean isHeldUp() {
        return isBusy && (backend == null || isSent);
    }

    private void pass(Object message) {
        if (!isBusy && message instanceof HttpRequest request) begin(request);
        else if (isBusy) send(message);
        else ReferenceCountUtil.release(message);
    }

    private void begin(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            ReferenceCountUtil.release(request);
            refuse(BAD_REQUEST);
            return;
        }
        isBusy = true;
        isSent = false;
        keepsClient = HttpUtil.isKeepAlive(request);
        isOld = !request.protocolVersion().isKeepAliveDefault();
        isHead = request.method().equals(HttpMethod.HEAD);
        HopByHop.remove(request.headers());
        request.setProtocolVersion(HTTP_1_1);
        var idle = backends.take();
        if (idle.isPresent()) {
            begin(request, idle.get());
            return;
        }
        waiting.addFirst(request);
        backends.connect(connected -> onLoop(() -> connected(connected)));
    }

    private void connected(Optional<NettyBackend> found) {
        if (found.isEmpty()) {
            refuse(BAD_GATEWAY);
            return;
        }
        if (isOver) {
            backends.give(found.get());
            return;
        }
        begin((HttpRequest) waiting.removeFirst(), found.get());
        goOn();
    }

    private void begin(HttpRequest request, NettyBackend found) {
        backend = found;
        found.serve(this);
        send(request);
    }

    private void send(Object message) {
        boolean isRequest = message instanceof HttpRequest;
        isSent = message instanceof LastHttpContent;
        var to = backend;
        if (!isRequest) to.channel().write(message, to.channel().voidPromise());
        else to.channel().write(message).addListener(written -> {
            // It may have closed just before, on another loop, when it had no exchange to tell.
            if (!written.isSuccess()) onLoop(() -> fail(to, false));
        });
        if (isSent) to.channel().flush();
    }

    /// Passes on what waits, as far as that is possible now.
    private void goOn() {
        while (!waiting.isEmpty() && !isOver && !isHeldUp()) pass(waiting.removeFirst());
        flush();
        readAsFits();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        flush();
        readAsFits();
    }

    private void flush() {
        if (backend != null && !isSent) backend.channel().flush();
    }

    /// Reads from the client unless what it sends would have to wait.
    void readAsFits() {
        boolean fits = waiting.isEmpty() && (backend == null || backend.channel().isWritable());
        if (client.config().isAutoRead() != fits) client.config().setAutoRead(fits);
    }

    // Responses.

    /// Passes on the last of the response.
    void end(NettyBackend from, Object last, boolean isReusable) {
        if (backend != from) {
            ReferenceCountUtil.release(last);
            return;
        }
        client.writeAndFlush(last, client.voidPromise());
        backend = null;
        isBusy = false;
        from.channel().config().setAutoRead(true);
        if (isReusable && isSent) backends.give(from);
        else from.channel().close();
        if (keepsClient && isSent) goOn();
        else over();
    }

    /// The backend's connection ended too early.
    void fail(NettyBackend from, boolean hasBegun) {
        if (backend != from) return;
        backend = null;
        if (hasBegun) over();
        else refuse(BAD_GATEWAY);
    }

    private void refuse(HttpResponseStatus status) {
        if (isOver) return;
        var response = new DefaultFullHttpResponse(HTTP_1_1, status, Unpooled.EMPTY_BUFFER);
        response.headers().set(CONNECTION, CLOSE).setInt(CONTENT_LENGTH, 0);
        client.write(response, client.voidPromise());
        over();
    }

    private void over() {
        if (isOver) return;
        isOver = true;
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
        client.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (backend != null) backend.channel().config().setAutoRead(client.isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        isOver = true;
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
        if (backend != null) backend.channel().close();
        backend = null;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    // For backends.

    /// Runs a task on this loop, at once when this is its thread.
    void onLoop(Runnable task) {
        if (client.eventLoop().inEventLoop()) task.run();
        else client.eventLoop().execute(task);
    }

    Channel client() {
        return client;
    }

    boolean keepsClient() {
        return keepsClient;
    }

    boolean isOld() {
        return isOld;
    }

    boolean isHead() {
        return isHead;
    }
}
