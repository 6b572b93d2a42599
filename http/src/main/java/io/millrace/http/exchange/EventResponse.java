package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Overflow;
import io.millrace.codec.GroupMember;
import io.millrace.http.EventStream;
import io.millrace.http.Headers;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.EndTasks;
import io.millrace.http.message.EventText;
import io.millrace.loop.Addressee;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Memberships;
import io.millrace.loop.Recipient;
import io.millrace.memory.LoopOutput;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/// A response of server-sent events, which come from any thread.
///
/// ```
///   any thread: send ─► waiting ── wake, once it was empty ─► go: all of it, as one part ─► stream
/// ```
final class EventResponse implements PendingResponse, EventStream, Recipient, Addressee<String> {
    /// Heap used by a waiting event besides its bytes.
    private static final int EVENT_BYTES = 32;

    /// So much may wait for the exchange before the stream counts as full.
    private static final long FULL_BYTES = 64 << 10;

    private final ServerExchange exchange;
    private final BuiltResponse answer;
    private final Consumer<EventStream> open;
    private final Memberships memberships = new Memberships();
    private boolean hasBegun;

    /// As of the last look; written by the thread that has the exchange.
    private volatile boolean isPeerSlow;

    /// After the end only waiting events are sent.
    private final EndTasks whenClosed = new EndTasks();

    // Guarded by this.

    private final ArrayDeque<Bytes> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private long sentBytes;
    private boolean isTooMuch;

    EventResponse(ServerExchange exchange, BuiltResponse answer, Body.Events events) {
        this.exchange = exchange;
        this.answer = answer;
        this.open = events.open();
        whenClosed.add(() -> memberships.hasClosed(exchange.stream().loop()));
    }

    @Override
    public void go() {
        if (!hasBegun) {
            hasBegun = true;
            exchange.head(answer, Body.UNKNOWN);
            if (exchange.hasBody(answer)) open.accept(this);
            else close();
        }
        var part = LoopOutput.aside(exchange.stream().source());
        boolean isEnd;
        try {
            isEnd = takeWaiting(part);
            if (part.size() > 0) exchange.stream().data(part);
        } finally {
            part.release();
        }
        isPeerSlow = exchange.stream().isFull();
        if (!isEnd) return;
        if (exchange.hasBody(answer)) exchange.stream().end(Headers.EMPTY);
        exchange.complete();
    }

    /// @return whether nothing follows
    private synchronized boolean takeWaiting(LoopOutput part) {
        if (isTooMuch) {
            var detail = "more events wait than the " + exchange.stream().unsentLimitBytes()
                    + " bytes that may be unsent (output.unsent): leave some out while isFull()";
            CoreGuards.OUTPUT_UNSENT.acted(exchange.stream().remote(), detail);
            throw new Overflow(detail);
        }
        for (var event = waiting.poll(); event != null; event = waiting.poll()) part.write(event);
        waitingBytes = 0;
        return whenClosed.isOver();
    }

    // Any thread.

    @Override
    public boolean send(String data) {
        return send(Bytes.utf8(EventText.of(data)));
    }

    @Override
    public boolean send(String event, String data) {
        return send(Bytes.utf8(EventText.of(event, data)));
    }

    private boolean send(Bytes event) {
        if (memberships.mustFollow()) return follow(event);
        return sendNow(event);
    }

    /// Behind what is on its way from groups.
    private boolean follow(Bytes event) {
        if (!isOpen()) return false;
        if (memberships.followingBytes() > exchange.stream().unsentLimitBytes()) {
            tooMuch();
            return false;
        }
        return memberships.follow(exchange.stream().loop(), event.length() + EVENT_BYTES, () -> sendNow(event));
    }

    private void tooMuch() {
        synchronized (this) {
            isTooMuch = true;
        }
        exchange.stream().wake();
    }

    private boolean sendNow(Bytes event) {
        boolean isFirst;
        boolean isTaken;
        synchronized (this) {
            if (whenClosed.isOver() || isTooMuch || !exchange.stream().isOpen()) return false;
            isTooMuch = waitingBytes + event.length() > exchange.stream().unsentLimitBytes();
            isTaken = !isTooMuch;
            isFirst = waiting.isEmpty();
            waiting.add(event);
            waitingBytes += event.length() + EVENT_BYTES;
            sentBytes += event.length();
        }
        if (isFirst) exchange.stream().wake();
        return isTaken;
    }

    @Override
    public synchronized long sent() {
        return sentBytes;
    }

    @Override
    public synchronized boolean isFull() {
        return isPeerSlow || waitingBytes + memberships.followingBytes() > FULL_BYTES;
    }

    @Override
    public void onClose(Runnable task) {
        whenClosed.add(task);
    }

    @Override
    public void breakOff() {
        synchronized (this) {
            waiting.clear();
            waitingBytes = 0;
        }
        close();
    }

    /// Ends the stream. If the connection has died, nothing is sent.
    @Override
    public void close() {
        if (memberships.mustFollow()) memberships.follow(exchange.stream().loop(), 1, this::closeNow);
        else closeNow();
    }

    private void closeNow() {
        if (whenClosed.end()) exchange.stream().wake();
    }

    // For groups.

    @Override
    public GroupMember<String> named(String event) {
        return new NamedEvents(this, EventFrames.named(event));
    }

    private record NamedEvents(EventResponse recipient, EventFrames encoding)
            implements GroupMember<String>, Addressee<String> {}

    @Override
    public Recipient recipient() {
        return this;
    }

    @Override
    public EventFrames encoding() {
        return EventFrames.UNNAMED;
    }

    @Override
    public Memberships memberships() {
        return memberships;
    }

    @Override
    public EventLoop eventLoop() {
        return exchange.stream().loop();
    }

    @Override
    public boolean isOpen() {
        return !whenClosed.isOver() && exchange.stream().isOpen();
    }

    @Override
    public void deliver(Bytes frame, boolean isAhead) {
        if (isAhead && memberships.followingBytes() > 0) follow(frame);
        else sendNow(frame);
    }
}
