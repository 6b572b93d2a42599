package io.millrace.cli;

import io.millrace.Connect;
import io.millrace.Tcp;
import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.Loop;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The client of the demo: connections that each send a message, wait until it is back, and send the next. A
/// message begins with the time when it was sent.
final class DemoClient {
    private static final long PATIENCE_SECONDS = 10;
    private static final long MIN_INPUT_LIMIT = 64 << 10;

    private final Loop loop;
    private final int sizeBytes;
    private final Bytes filling;

    /// What happened since it was taken. The loop's own.
    private Sample sample = new Sample();

    /// What the client saw in a while.
    static final class Sample {
        final Latencies latencies = new Latencies();
        int failures;
        String firstFailure = "";

        void add(Sample later) {
            if (failures == 0) firstFailure = later.firstFailure;
            failures += later.failures;
            latencies.add(later.latencies);
        }
    }

    /// @param loop      owns all connections
    /// @param sizeBytes of a message, from 8 up
    DemoClient(Loop loop, int sizeBytes) {
        this.loop = loop;
        this.sizeBytes = sizeBytes;
        this.filling = Bytes.of(new byte[sizeBytes - Long.BYTES]);
    }

    /// Opens connections, and returns when all are open.
    void connect(SocketAddress to, int connections) throws IOException {
        var attempts = new ArrayList<CompletableFuture<?>>();
        for (int i = 0; i < connections; i++) {
            var at = Connect.to(to).loop(loop).inputLimit(Math.max(MIN_INPUT_LIMIT, 2L * sizeBytes));
            attempts.add(Tcp.connect(at, Ping::new).toCompletableFuture());
        }
        await(
                CompletableFuture.allOf(attempts.toArray(CompletableFuture[]::new)),
                "connecting to " + HostPort.text(to));
    }

    /// What happened since this was called last.
    Sample take() throws IOException {
        var taken = new CompletableFuture<Sample>();
        loop.execute(() -> {
            taken.complete(sample);
            sample = new Sample();
        });
        return await(taken, "an answer of the client's event loop");
    }

    private final class Ping implements Handler {
        private final Connection connection;

        Ping(Connection connection) {
            this.connection = connection;
            send();
        }

        private void send() {
            connection.output().writeLong(System.nanoTime()).write(filling);
        }

        @Override
        public void onInput(Input in) {
            if (in.remaining() < sizeBytes) return;
            sample.latencies.record(System.nanoTime() - in.readLong());
            in.skip(filling.length());
            send();
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            sample.failures++;
            if (sample.failures > 1) return;
            sample.firstFailure = cause == null ? "the proxy closed it" : String.valueOf(cause.getMessage());
        }
    }

    private static <T> T await(CompletableFuture<T> result, String what) throws IOException {
        try {
            return result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + what);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (TimeoutException _) {
            throw new IOException(what + " took more than " + PATIENCE_SECONDS + " s");
        }
    }
}
