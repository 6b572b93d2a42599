package io.millrace.proxy.service;

import io.millrace.http.filter.MetricSource;
import io.millrace.http.filter.MetricsText;
import java.time.InstantSource;

/// The results of loading configurations, the first one included. Any thread.
public final class Reloads implements MetricSource {
    private final InstantSource clock;
    private volatile Last last = new Last(0, false, 0, 0, 0);

    /// @param millis the time of the last one, Unix time
    /// @param usedMillis the time when one was last used
    private record Last(long millis, boolean isUsed, long usedMillis, long used, long refused) {}

    public Reloads(InstantSource clock) {
        this.clock = clock;
    }

    /// The next configuration is used.
    public synchronized void used() {
        long now = clock.millis();
        last = new Last(now, true, now, last.used + 1, last.refused);
    }

    /// The next configuration could not be used, and the current one stays.
    public synchronized void refused() {
        last = new Last(clock.millis(), false, last.usedMillis, last.used, last.refused + 1);
    }

    @Override
    public void write(MetricsText to) {
        var now = last;
        to.counter("millrace_config_reloads", "Loads of a configuration, by result.");
        to.total(now.used, "result", "used");
        to.total(now.refused, "result", "refused");
        to.gauge("millrace_config_last_reload_successful", "Whether the last load succeeded.")
                .value(now.isUsed);
        to.gauge("millrace_config_last_reload_timestamp_seconds", "Unix time of the last load.")
                .value(now.millis / 1e3);
        to.gauge("millrace_config_last_reload_success_timestamp_seconds", "Unix time of the last load that succeeded.")
                .value(now.usedMillis / 1e3);
    }
}
