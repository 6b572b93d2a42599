package io.millrace.lab.peer.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;

/// Connections to the backend that wait for a request: those of one loop of clients, whose thread alone comes here. The
/// one that was used last is used next.
final class NettyBackends {
    private final Bootstrap upstream;
    private final Deque<NettyBackend> idle = new ArrayDeque<>();

    NettyBackends(Bootstrap upstream, int aggregateBytes) {
        this.upstream = upstream.handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new HttpClientCodec());
                if (aggregateBytes > 0) {
                    channel.pipeline().addLast(new HttpObjectAggregator(aggregateBytes));
                }
                channel.pipeline().addLast(new NettyBackend(channel));
            }
        });
    }

    /// One that is open; empty when there is none, and it takes [#connect].
    Optional<NettyBackend> take() {
        for (NettyBackend next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            if (next.channel().isActive()) {
                return Optional.of(next);
            }
        }
        return Optional.empty();
    }

    /// A new one; empty when the backend cannot be reached. On a thread of the new connection.
    void connect(Consumer<Optional<NettyBackend>> then) {
        upstream.connect().addListener((ChannelFutureListener) connected -> then.accept(
                connected.isSuccess()
                        ? Optional.of(connected.channel().pipeline().get(NettyBackend.class))
                        : Optional.empty()));
    }

    /// Gives one back whose last exchange is complete.
    void give(NettyBackend backend) {
        idle.addFirst(backend);
    }
}
