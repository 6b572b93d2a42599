package io.millrace.http.file;

import io.millrace.http.Response;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.EventLoop;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Opens and reads files, which waits for a file system: threads of the JVM's own, which end when they are
/// idle. Any thread may submit work.
///
/// These are not virtual threads: opening a file, or reading its attributes, pins the carrier thread, and
/// there are only as many carriers as processors. A network file system that hangs would stop everything that
/// runs on them, files or not.
public final class FileThreads {
    /// Threads that open files.
    public static final int THREADS = 16;

    /// If so many responses wait for a thread, further ones are 503 at once.
    public static final int MOST_WAITING = 4096;

    private static final int IDLE_SECONDS = 10;
    private static final Response BUSY = Response.status(503).setHeader("Retry-After", "1");
    private static final ThreadPoolExecutor POOL = pool();

    private FileThreads() {}

    private static ThreadPoolExecutor pool() {
        var pool = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name("millrace-files-", 0).daemon().factory());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /// Calls a task on one of these threads; its exception fails the stage. What it uses of a lent request
    /// must be a copy.
    public static CompletionStage<Response> call(Callable<Response> work) {
        if (POOL.getQueue().size() >= MOST_WAITING) {
            HttpGuards.FILES.acted("a response", "more than " + MOST_WAITING + " wait for the file system");
            return CompletableFuture.completedFuture(BUSY);
        }
        var response = new CompletableFuture<Response>();
        EventLoop.waitForFiles(POOL, () -> complete(response, work));
        return response;
    }

    /// Runs the next read of a body that is being sent; each connection has at most one. It is never refused:
    /// the head has promised the rest.
    static void read(Runnable work) {
        EventLoop.waitForFiles(POOL, work);
    }

    private static void complete(CompletableFuture<Response> response, Callable<Response> work) {
        try {
            response.complete(work.call());
        } catch (Throwable e) {
            response.completeExceptionally(e);
        }
    }
}
