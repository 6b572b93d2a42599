package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.exchange.ExchangeStream;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import java.net.SocketAddress;

/// The part of an HTTP/1.1 connection that both sides' streams share: bodies are framed as the last head
/// announces, and room is the connection's.
abstract class FramedStream implements ExchangeStream {
    final TcpConnection connection;
    final LoopOutput output;
    BodyFraming framing = BodyFraming.NO_BODY;

    FramedStream(TcpConnection connection) {
        this.connection = connection;
        this.output = (LoopOutput) connection.output();
    }

    @Override
    public final void data(LoopOutput part) {
        framing.data(part, output);
    }

    @Override
    public final void end(Headers trailers) {
        framing.end(trailers, output);
    }

    @Override
    public final boolean isFull() {
        return connection.isFull();
    }

    @Override
    public final void whenSent(Runnable task) {
        connection.whenSent(task);
    }

    @Override
    public final void wake() {
        connection.callHandler();
    }

    @Override
    public final EventLoop loop() {
        return EventLoop.of(connection.loop());
    }

    @Override
    public final SocketAddress remote() {
        return connection.remote();
    }

    @Override
    public final SlabSource source() {
        return output.source();
    }
}
