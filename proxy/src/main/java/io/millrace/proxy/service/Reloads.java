package io.millrace.proxy.service;

import io.millrace.http.filter.MetricSource;
import io.millrace.http.filter.MetricsText;
import java.time.InstantSource;

/// What became of configurations that were to be served, the first one included. Any thread.
public final class Reloads implements MetricSource {
    private final InstantSource clock;
    private volatile Last last = new Last(0, false, 0, 0, 0);

    /// @param millis when it was, Unix time
    /// @param usedMillis when one was used
    private record Last(long millis, boolean isUsed, long usedMillis, long used, long refused) {}

    public Reloads(InstantSource clock) {
        this.clock = clock;
    }

    /// The next one is in force.
    public synchronized void used() {
        long now = clock.millis();
        last = new Last(now, true, now, last.used + 1, last.refused);
    }

    /// The next one could not be used, and the one before stays in force.
    public synchronized void refused() {
        last = new Last(clock.millis(), false, last.usedMillis, last.used, last.refused + 1);
    }

    @Override
    public void write(MetricsText to) {
        var now = last;
        to.counter("millrace_config_reloads", "Configurations that were to be served, by what became of them.");
        to.total(now.used, "result", "used");
        to.total(now.refused, "result", "refused");
        to.gauge("millrace_config_last_reload_successful", "Whether the last one is in force.")
                .value(now.isUsed);
        to.gauge("millrace_config_last_reload_timestamp_seconds", "When it came, Unix time.")
                .value(now.millis / 1e3);
        to.gauge("millrace_config_last_reload_success_timestamp_seconds", "When one came into force last, Unix time.")
                .value(now.usedMillis / 1e3);
    }
}
