package io.millrace.http.h2;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Overflow;
import io.millrace.http.Headers;
import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ClientStream;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.message.OutgoingHead;
import io.millrace.loop.EventLoop;
import io.millrace.loop.TcpConnection;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// What an exchange sees of its stream: how a request is sent, and when there is room.
final class RequestStream implements ClientStream {
    /// What may wait here before the exchange stops writing, and how little before it goes on.
    private static final long HIGH_BYTES = 64 << 10;

    private static final long LOW_BYTES = 32 << 10;

    private final ClientSideStream stream;
    private final ClientSideConnection connection;
    private final TcpConnection transport;
    private final QueueWatches watches;
    private final StreamRoom room;

    RequestStream(ClientSideStream stream, ClientSideConnection connection) {
        this.stream = stream;
        this.connection = connection;
        this.transport = connection.connection;
        this.watches = new QueueWatches(transport);
        this.room = new StreamRoom(stream, HIGH_BYTES, LOW_BYTES);
    }

    // For the stream.

    /// Some of what waited was sent.
    void wasSent() {
        watches.passed(stream.sentBytes(), stream.queuedBytes());
        if (room.isNews(stream.queuedBytes())) stream.later(this::hasRoom);
    }

    void hasRoom() {
        if (room.takeNews(stream.queuedBytes())) stream.woken();
    }

    /// Nothing more is sent.
    void cut() {
        watches.cut();
    }

    // The request.

    @Override
    public void send(OutgoingHead head, Bytes body) {
        stream.writeHead(head, body.length() == 0);
        if (body.length() == 0) return;
        var out = connection.moving();
        out.write(body);
        stream.enqueue(out);
        stream.enqueueEnd(Headers.EMPTY);
        connection.schedule(stream);
    }

    @Override
    public void head(OutgoingHead head) {
        stream.writeHead(head, false);
    }

    @Override
    public void data(LoopOutput part) {
        connection.call(() -> {
            stream.enqueue(part);
            connection.schedule(stream);
        });
        long limit = transport.outputLimitBytes();
        if (stream.queuedBytes() <= limit) return;
        var why = stream.queuedBytes() + " bytes of a request's body are unsent, the limit is " + limit
                + " (http.stream.unsent): write less at a time, or raise Connect.outputLimit";
        HttpGuards.HTTP2_UNSENT.acted(remote(), why);
        throw new Overflow(why);
    }

    @Override
    public void end(Headers trailers) {
        connection.call(() -> {
            stream.enqueueEnd(trailers);
            stream.sendEnd();
        });
    }

    @Override
    public boolean takesTrailers() {
        return true;
    }

    // The response.

    @Override
    public void pause() {
        stream.pause();
    }

    @Override
    public void resume() {
        stream.resume();
    }

    // Ending.

    @Override
    public void over(boolean isSent) {
        stream.exchangeIsOver(isSent);
    }

    @Override
    public void reset(IOException cause) {
        stream.giveUp(cause);
    }

    @Override
    public void gone(@Nullable Caller unread) {
        connection.gone(stream, unread);
    }

    // Room, and when it is there.

    @Override
    public boolean isFull() {
        return room.isFull(stream.queuedBytes(), !connection.loop.inLoop());
    }

    @Override
    public void whenSent(Runnable task) {
        // What it sends leaves at once.
        watches.add(() -> connection.call(task));
        watches.passed(stream.sentBytes(), stream.queuedBytes());
    }

    @Override
    public void wake() {
        stream.wake();
    }

    // Blame.

    @Override
    public boolean isSending() {
        return stream.queuedBytes() > 0 || transport.isSending();
    }

    @Override
    public long lastMovedNanos() {
        // Bytes of other streams may be in front.
        boolean isTransports = transport.isSending() && !stream.waitsForWindow();
        return isTransports ? transport.lastMovedNanos() : stream.movedNanos();
    }

    /// A server that does not read the request has itself to blame if its response is not received.
    @Override
    public boolean isStarved() {
        return !transport.isReceiving() && !transport.isFull();
    }

    // What it belongs to.

    @Override
    public EventLoop loop() {
        return connection.loop;
    }

    @Override
    public SocketAddress remote() {
        return transport.remote();
    }

    @Override
    public SlabSource source() {
        return connection.loop.pool();
    }
}
