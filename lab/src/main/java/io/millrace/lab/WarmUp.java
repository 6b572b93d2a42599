package io.millrace.lab;

import java.io.IOException;

/// Puts load on a server until its rate is stable, so that no round measures a JVM that still compiles.
final class WarmUp {
    private static final double WINDOW_SECONDS = 0.5;
    private static final double STEADY = 0.05;

    private final Plan plan;
    private final Contender contender;

    WarmUp(Plan plan, Contender contender) {
        this.plan = plan;
        this.contender = contender;
    }

    /// Goes over the trials again and again until no rate changed by more than 5 %, or time is over.
    void run() throws IOException, InterruptedException {
        var trials = plan.trials(contender.candidate()).stream()
                .filter(contender::isFitFor)
                .toList();
        var last = new double[trials.size()];
        long untilNanos = System.nanoTime() + (long) (plan.warmUpSeconds() * 1e9);
        while (true) {
            var now = new double[last.length];
            for (int i = 0; i < now.length; i++) {
                now[i] = contender.warmUp(trials.get(i), WINDOW_SECONDS);
                if (System.nanoTime() >= untilNanos) return;
            }
            if (isSteady(last, now)) return;
            System.arraycopy(now, 0, last, 0, now.length);
        }
    }

    private static boolean isSteady(double[] before, double[] now) {
        for (int i = 0; i < now.length; i++) {
            boolean hasChanged = Math.abs(now[i] - before[i]) > STEADY * before[i];
            if (hasChanged) return false;
        }
        return true;
    }
}
