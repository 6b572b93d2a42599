package io.millrace.proxy.service;

import io.millrace.http.RequestListener;
import io.millrace.http.ServedRequest;
import io.millrace.http.filter.AccessLog;
import io.millrace.proxy.ProxyInfo;
import io.millrace.proxy.configuration.Configuration.AccessLogSettings;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The access log of the current configuration.
final class CurrentLog implements RequestListener, AutoCloseable {
    private Optional<AccessLogSettings> settings = Optional.empty();
    private volatile @Nullable AccessLog log;

    /// Lines dropped by former logs.
    private long dropped;

    /// Switches to this log.
    ///
    /// @throws java.io.UncheckedIOException if the file cannot be opened; then nothing changes
    void become(Optional<AccessLogSettings> next) {
        if (next.equals(settings)) return;
        var before = log;
        var after = next.map(CurrentLog::open).orElse(null);
        synchronized (this) {
            dropped = dropped();
            log = after;
        }
        settings = next;
        if (before != null) before.close();
    }

    /// How many lines were dropped so far.
    synchronized long dropped() {
        var current = log;
        return current == null ? dropped : dropped + current.dropped();
    }

    private static AccessLog open(AccessLogSettings settings) {
        return AccessLog.open(settings.format(), settings.file(), ProxyInfo.LOG_FIELDS);
    }

    void reopen() {
        var current = log;
        if (current != null) current.reopen();
    }

    @Override
    public void over(ServedRequest served) {
        var current = log;
        if (current != null) current.over(served);
    }

    @Override
    public void close() {
        var current = log;
        log = null;
        if (current != null) current.close();
    }
}
