package io.millrace.loop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A thread's wait for a loop to do something: to make a connection, get a response, answer, or end connections.
/// Check before whether the thread may wait ([EventLoop#checkMayWait]).
public final class Awaiting implements LoopWait {
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final List<EventLoop> loops;

    /// What is waited for.
    private final Object what;

    private volatile @Nullable String whyInVain;

    private Awaiting(List<EventLoop> loops, Object what) {
        this.loops = loops;
        this.what = what;
    }

    /// Waits for a result. A caller that is interrupted still has to cancel it.
    ///
    /// @param loops one of them completes the result
    /// @param what  describes the result in messages
    /// @throws InterruptedException  when the thread is interrupted first
    /// @throws IllegalStateException when the thread keeps its loop meanwhile
    public static <T> T result(List<EventLoop> loops, Object what, CompletableFuture<T> result)
            throws InterruptedException, ExecutionException {
        if (!result.isDone()) new Awaiting(loops, what).await(loops.getFirst().host(), result);
        return result.get();
    }

    /// Lets a loop answer a question that only it may answer. The caller, a session or a worker, waits, interrupted
    /// or not.
    ///
    /// @throws IllegalStateException on the thread of another loop, which might be waiting for this one, when the
    ///     thread keeps its loop meanwhile, and when this one is closed
    static <T> T ask(EventLoop loop, Supplier<T> question) {
        if (loop.inLoop()) return loop.callHere(question::get);
        EventLoop.checkMayWait("this question to another event loop", "ask in conn.loop().execute(…)");
        var answer = new CompletableFuture<T>();
        if (!loop.returned(() -> answer(answer, question)))
            throw new IllegalStateException("the event loop " + loop + " is closed, and its connections with it");
        return answer(loop, answer);
    }

    private static <T> void answer(CompletableFuture<T> answer, Supplier<T> question) {
        try {
            answer.complete(question.get());
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
        }
    }

    private static <T> T answer(EventLoop loop, CompletableFuture<T> answer) {
        boolean wasInterrupted = false;
        try {
            while (true) {
                try {
                    return result(List.of(loop), "an answer of " + loop.name(), answer);
                } catch (InterruptedException _) {
                    wasInterrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException thrown ? thrown : new IllegalStateException(e.getCause());
        } finally {
            if (wasInterrupted) Thread.currentThread().interrupt();
        }
    }

    private void await(LoopHost host, CompletableFuture<?> result) throws InterruptedException {
        var waiting = Thread.currentThread();
        var _ = result.whenComplete((_, _) -> host.unpark(waiting));
        while (!result.isDone()) {
            host.park(this);
            if (result.isDone()) return;
            if (Thread.interrupted()) throw new InterruptedException();
            var why = whyInVain;
            if (why != null) throw new IllegalStateException("a thread waited for " + what + " " + why);
        }
    }

    /// Waits until loops have made a condition true, and looks every other millisecond. Ends early when patience
    /// runs out, the thread is interrupted, or it keeps its loop meanwhile.
    ///
    /// @return whether the condition is true
    static boolean truth(List<EventLoop> loops, Duration patience, BooleanSupplier isTrue) {
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        var wait = new Awaiting(loops, "loops");
        while (!isTrue.getAsBoolean() && System.nanoTime() - deadlineNanos < 0) {
            LockSupport.parkNanos(wait, LOOK_AGAIN_NANOS);
            if (wait.whyInVain != null || Thread.currentThread().isInterrupted()) break;
        }
        return isTrue.getAsBoolean();
    }

    @Override
    public boolean isEndedBy(EventLoop loop) {
        return loops.contains(loop);
    }

    @Override
    public int number() {
        return 0;
    }

    @Override
    public void giveUp(Thread waiting, int number, String why) {
        whyInVain = why;
        LockSupport.unpark(waiting);
    }

    @Override
    public String toString() {
        return what.toString();
    }
}
