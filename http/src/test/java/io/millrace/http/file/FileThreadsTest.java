package io.millrace.http.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Response;
import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FileThreadsTest {
    private static Response arrived(CompletionStage<Response> stage) throws Exception {
        return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void a_response_is_made_on_another_thread_that_keeps_no_jvm_alive() throws Exception {
        long mine = Thread.currentThread().threadId();
        var response = arrived(FileThreads.call(() -> {
            var thread = Thread.currentThread();
            return Response.ok(thread.threadId() != mine && thread.isDaemon() && !thread.isVirtual() ? "yes" : "no");
        }));
        assertEquals("yes", response.text());
    }

    @Test
    void what_is_thrown_is_the_failure_of_the_stage() {
        var stage = FileThreads.call(() -> {
            throw new IOException("broken");
        });
        var failure = assertThrows(ExecutionException.class, () -> arrived(stage));
        assertInstanceOf(IOException.class, failure.getCause());
    }

    @Test
    void so_many_work_and_so_many_wait_and_one_more_gets_503() throws Exception {
        var mayEnd = new CountDownLatch(1);
        var haveBegun = new CountDownLatch(FileThreads.THREADS);
        var atATime = new AtomicInteger();
        var stages = new ArrayList<CompletionStage<Response>>();
        try {
            Callable<Response> work = () -> {
                int count = atATime.incrementAndGet();
                haveBegun.countDown();
                mayEnd.await();
                atATime.decrementAndGet();
                return Response.ok(count <= FileThreads.THREADS ? "" : "too many");
            };
            for (int i = 0; i < FileThreads.THREADS; i++) stages.add(FileThreads.call(work));
            assertTrue(haveBegun.await(30, TimeUnit.SECONDS));
            for (int i = 0; i < FileThreads.MOST_WAITING; i++) stages.add(FileThreads.call(work));
            var refused = FileThreads.call(() -> Response.ok("late"));
            assertEquals(503, arrived(refused).status());
            assertFalse(stages.getLast().toCompletableFuture().isDone());
        } finally {
            mayEnd.countDown();
        }
        for (var stage : stages) assertEquals("", arrived(stage).text());
    }
}
