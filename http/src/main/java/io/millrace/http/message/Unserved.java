package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Output;
import io.millrace.codec.GroupMember;
import io.millrace.http.BlockingBodyWriter;
import io.millrace.http.BlockingOutput;
import io.millrace.http.BodyWriter;
import io.millrace.http.EventStream;
import io.millrace.http.JsonCodec;
import io.millrace.http.PushBody;
import io.millrace.http.Response;
import io.millrace.http.coding.BodyEncoding;
import io.millrace.http.coding.Encoder;
import io.millrace.loop.Addressee;
import io.millrace.loop.Encoding;
import io.millrace.loop.EventLoop;
import io.millrace.loop.NoRecipient;
import io.millrace.loop.Recipient;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabPool;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;

/// The body of a response without a server, as a peer would get it: for tests of handlers. It may wait.
final class Unserved {
    /// More than a test looks at.
    private static final long MOST_BYTES = 64 << 20;

    private Unserved() {}

    static Bytes body(Body content) {
        return switch (content) {
            case Body.Whole whole -> whole.bytes();
            case Body.Json json -> json.written(JsonCodec.standard()).bytes();
            case Body.Stream stream -> written(stream.writer(), stream.encoding());
            case Body.Pushed pushed -> Sent.of(pushed);
            case Body.Blocking blocking -> written(once(blocking.writer()), blocking.encoding());
            case Body.Events events -> Collected.of(events);
            case Body.File file -> file.change().apply(read(file)).body();
            case Body.Later later -> arrived(later).body();
            case Body.Reading _, Body.Collecting _, Body.Duplex _, Body.Relayed _ ->
                throw new IllegalStateException("this response is made from its request's body, as that arrives: it"
                        + " has none without a server");
        };
    }

    private static Response read(Body.File file) {
        try {
            return Response.of(200, "application/octet-stream", Bytes.of(Files.readAllBytes(file.path())));
        } catch (NoSuchFileException _) {
            return Response.status(404);
        } catch (IOException e) {
            throw new IllegalStateException(file.path() + " cannot be read", e);
        }
    }

    private static Response arrived(Body.Later later) {
        var stage = later.stage().toCompletableFuture();
        if (!stage.isDone()) mayWait();
        try {
            return later.change().apply(stage.join());
        } catch (CompletionException e) {
            throw new IllegalStateException("the stage of this response failed", e.getCause());
        }
    }

    private static void mayWait() {
        EventLoop.checkMayWait("the body of a response that comes later", "use map(…)");
    }

    /// The parts sent until the end.
    private static final class Sent implements PushBody {
        private final ByteArrayOutputStream all = new ByteArrayOutputStream();
        private final CompletableFuture<Bytes> whole = new CompletableFuture<>();

        static Bytes of(Body.Pushed pushed) {
            var sent = new Sent();
            pushed.open().accept(sent);
            if (!sent.whole.isDone()) mayWait();
            try {
                var plain = sent.whole.join();
                return pushed.encoding().map(how -> encoded(plain, how)).orElse(plain);
            } catch (CompletionException e) {
                throw new IllegalStateException("the body of this response failed", e.getCause());
            }
        }

        @Override
        public synchronized boolean send(Bytes part) {
            if (whole.isDone()) return false;
            if (all.size() + part.length() > MOST_BYTES) {
                fail(new IllegalStateException("a body of more than " + MOST_BYTES + " bytes"));
                return false;
            }
            all.writeBytes(part.toArray());
            return true;
        }

        @Override
        public boolean isFull() {
            return false;
        }

        @Override
        public void onRoom(Runnable task) {}

        @Override
        public void onClose(Runnable task) {
            var _ = whole.whenComplete((_, _) -> Callbacks.tell(task));
        }

        @Override
        public synchronized void end() {
            whole.complete(Bytes.of(all.toByteArray()));
        }

        @Override
        public void fail(Throwable cause) {
            whole.completeExceptionally(cause);
        }
    }

    private static BodyWriter once(BlockingBodyWriter writer) {
        return out -> {
            writer.write(new Written(out));
            return false;
        };
    }

    /// The output of blocking code, which always has room.
    private record Written(Output output) implements BlockingOutput {
        @Override
        public void flush() {}

        @Override
        public OutputStream outputStream() {
            return new BodyOutputStream(this);
        }
    }

    private static Bytes written(BodyWriter writer, Optional<BodyEncoding> encoding) {
        var out = LoopOutput.aside(new SlabPool(MOST_BYTES, false));
        var news = new Semaphore(0);
        if (writer instanceof SuspendableWriter later) later.opened(news::release);
        try {
            while (hasMore(writer, out, news)) {}
            var plain = out.toBytes();
            return encoding.isPresent() ? encoded(plain, encoding.get()) : plain;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("the writer of this response threw", e);
        } finally {
            out.release();
            writer.onClose();
        }
    }

    private static boolean hasMore(BodyWriter writer, LoopOutput out, Semaphore news) throws Exception {
        long before = out.size();
        boolean hasMore = writer.write(out);
        if (!hasMore || out.size() > before) return hasMore;
        if (!(writer instanceof SuspendableWriter)) {
            throw new IllegalStateException("a writer returned true and wrote nothing");
        }
        mayWait();
        news.acquire();
        return true;
    }

    private static Bytes encoded(Bytes plain, BodyEncoding how) {
        var encoder = new Encoder(how);
        var out = LoopOutput.aside(new SlabPool(MOST_BYTES, false));
        try {
            encoder.encode(LoopInput.of(plain), out::write);
            encoder.end(out::write);
            return out.toBytes();
        } finally {
            encoder.release();
            out.release();
        }
    }

    /// The events sent until the stream was opened; then its peer is gone.
    private static final class Collected implements EventStream, Addressee<String> {
        private final StringBuilder text = new StringBuilder();
        private final EndTasks whenClosed = new EndTasks();

        static Bytes of(Body.Events events) {
            var stream = new Collected();
            events.open().accept(stream);
            stream.close();
            return Bytes.utf8(stream.text.toString());
        }

        @Override
        public boolean send(String data) {
            return add(EventText.of(data));
        }

        @Override
        public boolean send(String event, String data) {
            return add(EventText.of(event, data));
        }

        private synchronized boolean add(String event) {
            if (whenClosed.isOver()) return false;
            text.append(event);
            return true;
        }

        @Override
        public GroupMember<String> named(String event) {
            return this;
        }

        @Override
        public Recipient recipient() {
            return NoRecipient.CLOSED;
        }

        @Override
        public Encoding<String> encoding() {
            return (_, event) -> Bytes.utf8(EventText.of(event));
        }

        @Override
        public boolean isFull() {
            return false;
        }

        @Override
        public void onClose(Runnable task) {
            whenClosed.add(task);
        }

        @Override
        public void close() {
            whenClosed.end();
        }
    }
}
