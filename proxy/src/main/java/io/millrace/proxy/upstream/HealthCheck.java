package io.millrace.proxy.upstream;

import io.millrace.loop.EventLoop;
import io.millrace.loop.Failures;
import io.millrace.net.Loop;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.backend.Health;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Checks one backend repeatedly. Used on its loop.
///
/// ```
///   WAITING ──interval, more or less──► ASKING ──answer, or timeout──► WAITING      any ──close()──► OVER
/// ```
/// The first answer decides whether the backend is healthy. Opposite answers are counted, an answer that
/// agrees resets the count, and at the threshold the state changes.
final class HealthCheck {
    private enum State {
        WAITING,
        ASKING,
        OVER
    }

    private final Backends upstream;
    private final Backend backend;
    private final Health health;
    private final EventLoop loop;
    private final Probe probe;
    private final RandomGenerator luck;
    private State state = State.WAITING;
    private Loop.@Nullable Timer timer;

    /// The number of the question, to recognize late answers to one that timed out.
    private int question;

    private boolean isFirst;
    private boolean isHealthy;
    private int contrary;

    HealthCheck(Backends upstream, Backend backend, EventLoop loop, Probe probe, RandomGenerator luck) {
        this.upstream = upstream;
        this.backend = backend;
        this.health = upstream.health();
        this.loop = loop;
        this.probe = probe;
        this.luck = luck;
        this.isFirst = !backend.isChecked();
        this.isHealthy = backend.isHealthy();
    }

    /// The first question is asked soon, but not at the same time for all backends.
    void start() {
        waitFor((long) (health.interval().toNanos() * 0.1 * luck.nextDouble()));
    }

    private void waitFor(long nanos) {
        state = State.WAITING;
        timer = loop.after(Duration.ofNanos(nanos), this::ask);
    }

    private void ask() {
        if (state != State.WAITING) return;
        state = State.ASKING;
        int asked = ++question;
        timer = loop.after(health.timeout(), () -> tookTooLong(asked));
        try {
            probe.ask().whenComplete((finding, failure) -> onLoop(() -> answered(asked, finding(finding, failure))));
        } catch (RuntimeException e) {
            answered(asked, finding(null, e));
        }
    }

    private void onLoop(Runnable task) {
        if (loop.inLoop()) {
            task.run();
            return;
        }
        try {
            loop.execute(task);
        } catch (RejectedExecutionException _) {
            // The loop has ended, and with it the timers: there are no more checks.
        }
    }

    private static Probe.Finding finding(Probe.@Nullable Finding finding, @Nullable Throwable failure) {
        if (finding != null) return finding;
        if (failure == null) return new Probe.Finding(false, "no answer");
        return new Probe.Finding(false, String.valueOf(Failures.bare(failure).getMessage()));
    }

    private void tookTooLong(int asked) {
        if (state != State.ASKING || asked != question) return;
        var text = "no answer within " + health.timeout().toMillis() + " ms";
        ProxyGuards.UPSTREAM_HEALTH_TIMEOUT.acted(backend.address(), text);
        answered(asked, new Probe.Finding(false, text));
    }

    private void answered(int asked, Probe.Finding finding) {
        if (state != State.ASKING || asked != question) return;
        stopTimer();
        decide(finding.isGood());
        upstream.found(backend, isHealthy, finding.text(), loop.nowNanos());
        double jitter = (2 * luck.nextDouble() - 1) * health.jitterPercent() / 100;
        waitFor((long) (health.interval().toNanos() * (1 + jitter)));
    }

    private void decide(boolean isGood) {
        contrary = isGood == isHealthy ? 0 : contrary + 1;
        int threshold = isFirst ? 1 : isGood ? health.healthyThreshold() : health.unhealthyThreshold();
        isFirst = false;
        if (contrary < threshold) return;
        isHealthy = isGood;
        contrary = 0;
    }

    private void stopTimer() {
        if (timer != null) timer.cancel();
        timer = null;
    }

    void close() {
        state = State.OVER;
        stopTimer();
        probe.close();
    }
}
