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
import io.millrace.net.Reset;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The body of a request that a thread waits for. A handler's thread leaves its call when it first does: from then on
/// the
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
    private final String what;
    private final BodyPipe pipe;
    private final LoopOutput arriving;
    private final News news;

    /// Of the handler that has left its call. Its thread's.
    private @Nullable CompletableFuture<Response> answer;

    // The reader's.

    private Input input = NOTHING;
    private boolean isOpen;
    private boolean hasEnded;

    /// The exchange is over, or nobody wants the rest.
    private volatile boolean isOver;

    /// That of the request under way. Any thread.
    ParkedBody(ServerExchange exchange) {
        this.exchange = exchange;
        this.loop = exchange.stream().loop();
        this.what = "the body of " + exchange;
        this.pipe = new BodyPipe(loop, exchange.stream()::wake);
        this.arriving = LoopOutput.aside(loop.pool().reserve());
        this.news = new News(loop, what);
        pipe.opened(news::tell);
    }

    // The exchange's.

    BodyPipe pipe() {
        return pipe;
    }

    @Override
    public void over() {
        isOver = true;
        pipe.onClose();
        news.tell();
    }

    // The handler's thread.

    /// Whether it has left the call of its handler.
    boolean hasLeft() {
        return answer != null;
    }

    /// What the handler answered that has, or threw.
    void answered(@Nullable Response response, @Nullable Exception thrown) {
        if (answer == null) return;
        if (response != null) answer.complete(response);
        else if (thrown != null) answer.completeExceptionally(thrown);
    }

    // The reader.

    @Override
    public boolean read() throws IOException {
        if (isOver) throw new Reset(what + " was lent until its response was complete, or refused, and that is over");
        if (hasEnded) return false;
        if (!isOpen) open();
        boolean hasMore = take();
        hasEnded = !hasMore;
        if (arriving.size() == 0) return false;
        input = LoopInput.of(offered());
        return true;
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

    private void open() {
        isOpen = true;
        if (exchange.stream().isInCall()) {
            var promised = new CompletableFuture<Response>();
            answer = promised;
            exchange.leaveCall(promised);
        }
        exchange.wantBody(this);
    }

    /// @return whether there will be more
    private boolean take() throws IOException {
        arriving.drawFrom(loop.pool().reserve());
        while (true) {
            news.expect();
            boolean hasMore = pipe.write(arriving);
            if (isOver && arriving.size() == 0) throw new Reset(what + " will not be complete");
            if (!hasMore || arriving.size() > 0) return hasMore;
            news.await();
        }
    }

    @Override
    public Input input() {
        return input;
    }

    @Override
    public Headers trailers() {
        if (!hasEnded) throw new IllegalStateException("fields come behind " + what + ", not all of which was read");
        return pipe.trailers();
    }

    @Override
    public InputStream inputStream() {
        return new BodyInputStream(this);
    }
}
