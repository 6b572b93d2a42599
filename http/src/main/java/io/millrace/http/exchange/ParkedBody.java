package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.message.AwaitedBody;
import io.millrace.http.message.BodyInputStream;
import io.millrace.http.message.BodyPipe;
import io.millrace.loop.EventLoop;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Loop;
import io.millrace.net.Reset;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A request's body that a thread waits for. A thread that has the exchange leaves its call when it waits: the
/// exchange goes on in other calls, which bring the body, and its response comes later.
///
/// ```
///   thread    in the handler's call ── read ──► leaves it ─ waits ─► takes ─ … ─► returns: its response
///   exchange                                       └─► BodyReceiver ─ parts ─► BodyPipe ┘         └─► DeferredResponse
/// ```
final class ParkedBody implements AwaitedBody {
    private static final Input NOTHING = LoopInput.of(Bytes.EMPTY);

    private final ServerExchange exchange;
    private final EventLoop loop;
    private final BodyReceiver receiver;
    private final String what;
    private final BodyPipe pipe;
    private final LoopOutput arriving;
    private final News news;

    /// The response of code that has left its call; completed by its thread.
    private volatile @Nullable CompletableFuture<Response> answer;

    private Loop.@Nullable Timer limit;

    // The reader's state.

    private Input input = NOTHING;
    private boolean isOpen;
    private boolean hasEnded;

    /// The exchange is over, or the rest is not wanted; the reason is written first.
    private volatile boolean isOver;

    private String whyOver = "";

    /// The body of the current request. Any thread.
    ParkedBody(ServerExchange exchange, BodyReceiver receiver) {
        this.exchange = exchange;
        this.receiver = receiver;
        this.loop = exchange.stream().loop();
        this.what = "the body of " + exchange;
        this.pipe = new BodyPipe(loop, exchange.stream()::wake);
        this.arriving = LoopOutput.aside(loop.pool().reserve());
        this.news = new News(loop, what);
        pipe.opened(news::tell);
    }

    // For the exchange.

    /// Its thread waits only so long until the exchange notices that; before it is told.
    void mayWaitUntil(Loop.Timer over) {
        limit = over;
    }

    /// The exchange has noticed.
    void isNoticed() {
        if (limit != null) limit.cancel();
    }

    BodyPipe pipe() {
        return pipe;
    }

    @Override
    public void over() {
        isOver("that is over");
    }

    /// Why the body cannot be read any more.
    void isOver(String why) {
        isNoticed();
        whyOver = why;
        isOver = true;
        pipe.onClose();
        news.tell();
    }

    // For the thread that has the exchange, and has called user code that may leave the call.

    /// Whether the code has left: the caller must not touch the exchange any more.
    boolean hasLeft() {
        return answer != null;
    }

    /// The response or exception of code that has left its call.
    void answered(@Nullable Response response, @Nullable Throwable thrown) {
        var promised = answer;
        answer = null;
        if (promised == null) return;
        if (response != null) promised.complete(response);
        else if (thrown != null) promised.completeExceptionally(thrown);
    }

    // For the reader.

    @Override
    public boolean read() throws IOException {
        if (isOver) throw over(whyOver);
        if (hasEnded) return false;
        mayWait();
        if (!isOpen) exchange.calls().wantBody(receiver, this);
        isOpen = true;
        boolean hasMore = take();
        hasEnded = !hasMore;
        if (arriving.size() == 0) return false;
        input = LoopInput.of(offered());
        return true;
    }

    private Reset over(String why) {
        return new Reset(what + " was lent until its response was complete, or was refused:  " + why);
    }

    /// The loop that brings the body must not wait for it, nor a thread that keeps others from running.
    private void mayWait() {
        boolean isInCall = exchange.stream().isInCall();
        if (!Thread.currentThread().isVirtual()
                || (isInCall && !exchange.calls().mayLeave())) {
            throw new IllegalStateException(what + " is still to come, and this call must not wait for it: read it in"
                    + " the handler, on a virtual thread, or put the handler into Http.whole(limit, …)");
        }
        if (!isInCall) return;
        var promised = new CompletableFuture<Response>();
        answer = promised;
        exchange.calls().leave(promised);
    }

    private Bytes offered() {
        var part = arriving.toBytes();
        arriving.release();
        if (input.isEmpty()) return part;
        return Bytes.of(joined(input.readBytes(input.remaining()).toArray(), part.toArray()));
    }

    private static byte[] joined(byte[] left, byte[] more) {
        var all = Arrays.copyOf(left, left.length + more.length);
        System.arraycopy(more, 0, all, left.length, more.length);
        return all;
    }

    private boolean takeAll() throws IOException {
        try {
            return pipe.write(arriving);
        } catch (IOException e) {
            // Bytes that came before it broke off.
            arriving.release();
            if (isOver && !pipe.hasFailed()) throw over(whyOver);
            throw e;
        }
    }

    /// @return whether there will be more
    private boolean take() throws IOException {
        arriving.drawFrom(loop.pool().reserve());
        while (true) {
            news.expect();
            boolean hasMore = takeAll();
            if (!hasMore || arriving.size() > 0) return hasMore;
            news.await();
        }
    }

    @Override
    public long mostAwaitedBytes() {
        return receiver.mostAwaitedBytes();
    }

    @Override
    public Input input() {
        return input;
    }

    @Override
    public Headers trailers() {
        if (!hasEnded) throw new IllegalStateException("trailers come after " + what + ", not all of which was read");
        return pipe.trailers();
    }

    @Override
    public InputStream inputStream() {
        return new BodyInputStream(this);
    }
}
