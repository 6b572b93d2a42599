package io.millrace;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/// A handler that writes down what it is called with, and does what the test says. Its calls must not overlap.
class Heard implements Handler {
    final Connection conn;

    /// The calls in their order: the text of an input, `writable`, `end`, `drain`, `close`.
    final LinkedBlockingQueue<String> calls = new LinkedBlockingQueue<>();

    final CompletableFuture<String> closed = new CompletableFuture<>();

    Heard(Connection conn) {
        this.conn = conn;
    }

    @Override
    public void onInput(Input in) throws IOException {
        calls.add(in.readUtf8(in.remaining()));
    }

    @Override
    public void onWritable() {
        calls.add("writable");
    }

    @Override
    public void onEnd(Connection ended) {
        calls.add("end");
        ended.close();
    }

    @Override
    public void onDrain(Connection draining) {
        calls.add("drain");
        draining.close();
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        calls.add("close");
        closed.complete(cause == null ? "null" : cause.getClass().getSimpleName() + ": " + cause.getMessage());
    }

    /// What was called so far; in the order of the calls.
    List<String> callsSoFar() {
        return new ArrayList<>(calls);
    }
}
