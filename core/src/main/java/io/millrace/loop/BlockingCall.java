package io.millrace.loop;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/// Work that blocks; the loop gets its result.
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
        // When the loop is gone, a thread may still wait for the result.
        if (!loop.returned(completion)) completion.run();
    }
}
