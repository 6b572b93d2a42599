package io.millrace.loop;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/// Work that blocks, and what it comes to, which the loop hears of.
record BlockingCall<T>(EventLoop loop, Callable<T> work, CompletableFuture<T> result) implements Runnable {
    @Override
    public void run() {
        Runnable completion;
        try {
            T value = work.call();
            completion = () -> result.complete(value);
        } catch (Throwable e) {
            completion = () -> result.completeExceptionally(e);
        }
        // When the loop is gone somebody may still wait, on a thread of his own.
        if (!loop.returned(completion)) completion.run();
    }
}
