package io.millrace.http.pool;

import io.millrace.bytes.Input;
import io.millrace.http.BlockingResponseReader;
import io.millrace.http.Response;
import io.millrace.http.ResponseReader;
import io.millrace.net.Loop;
import io.millrace.net.Reset;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A response whose body a blocking caller reads. The loop reads on only when the caller asks, so that the
/// peer is slowed to the caller's pace; one part at a time is passed between them.
///
/// ```
///   caller   read ── nothing left ──► wait ···························► read
///   loop                    └─ pull ─► resume ··· a part ─► pause ─┘
/// ```
public final class PulledBody implements ResponseReader<Boolean> {
    /// A short rest of an unread body is read, to keep the connection.
    static final int LEFT_BYTES = 64 << 10;

    /// And one that arrives soon.
    static final Duration LEFT_TIME = Duration.ofSeconds(1);

    /// Passed at the end.
    private static final byte[] END = {};

    private final ClientCall<Boolean> call;

    /// Empty if there is no response.
    private final CompletableFuture<Optional<Response>> head = new CompletableFuture<>();

    // For the loop.

    private @Nullable CompletableFuture<byte[]> asked;

    /// Several, if a part decompresses to more.
    private final ArrayDeque<byte[]> ready = new ArrayDeque<>(1);

    private boolean isLeft;
    private Loop.@Nullable Timer leftTimer;
    private long skipped;

    /// @param calls makes the call for this reader
    public PulledBody(Function<ResponseReader<Boolean>, ClientCall<Boolean>> calls) {
        this.call = calls.apply(this);
    }

    // For the caller.

    /// Sends the request, and lends the response to a function.
    public <T> T read(BlockingResponseReader<T> reader) throws IOException {
        var _ = call.begin();
        try {
            var found = call.await(head);
            if (found.isEmpty()) throw new Reset("no response, though nothing failed: " + call.await());
            try (var body = new Stream()) {
                return reader.read(found.get(), body);
            }
        } finally {
            call.execute(this::leave);
        }
    }

    private byte[] next() throws IOException {
        var answer = new CompletableFuture<byte[]>();
        if (!call.execute(() -> pull(answer))) throw new Reset("the event loop of this response was closed");
        var part = call.await(answer);
        // After the end or a failure, which is thrown.
        if (part.length == 0) call.await();
        return part;
    }

    /// Used by the caller's thread, until the function returns.
    private final class Stream extends InputStream {
        private byte[] part = END;
        private int at;
        private boolean hasEnded;
        private boolean isClosed;

        @Override
        public int read() throws IOException {
            return fill() ? part[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, to.length);
            if (length == 0) return 0;
            if (!fill()) return -1;
            int count = Math.min(length, part.length - at);
            System.arraycopy(part, at, to, offset, count);
            at += count;
            return count;
        }

        private boolean fill() throws IOException {
            if (isClosed) throw new IOException("this body was lent until its reader returned, and that is over");
            if (at < part.length) return true;
            if (hasEnded) return false;
            part = next();
            at = 0;
            hasEnded = part.length == 0;
            return !hasEnded;
        }

        @Override
        public int available() {
            return part.length - at;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    // For the loop.

    private void pull(CompletableFuture<byte[]> answer) {
        var part = ready.poll();
        if (part != null || call.isOver()) {
            answer.complete(part != null ? part : END);
        } else {
            asked = answer;
            call.resume();
        }
    }

    @Override
    public void onHead(Response found) {
        call.pause();
        head.complete(Optional.of(found));
    }

    @Override
    public void onBody(Input part) {
        if (isLeft) {
            skip(part);
            return;
        }
        var bytes = new byte[(int) part.remaining()];
        part.read(bytes, 0, bytes.length);
        call.pause();
        if (!answer(bytes)) ready.add(bytes);
    }

    private boolean answer(byte[] part) {
        var waiting = asked;
        asked = null;
        return waiting != null && waiting.complete(part);
    }

    @Override
    public Boolean onEnd() {
        over();
        return true;
    }

    @Override
    public void onAbort() {
        head.complete(Optional.empty());
        over();
    }

    private void over() {
        if (leftTimer != null) leftTimer.cancel();
        answer(END);
    }

    /// The caller does not want the rest.
    private void leave() {
        if (call.isOver()) return;
        isLeft = true;
        ready.clear();
        if (!head.isDone()) {
            call.giveUp();
            return;
        }
        leftTimer = call.loop().after(LEFT_TIME, call::giveUp);
        call.resume();
    }

    private void skip(Input part) {
        skipped += part.remaining();
        part.skip(part.remaining());
        if (skipped > LEFT_BYTES) call.giveUp();
    }
}
