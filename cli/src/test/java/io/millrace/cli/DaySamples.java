package io.millrace.cli;

import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/// Looks every second at the memory of the process that serves, and at the certificate that it shows.
final class DaySamples implements AutoCloseable {
    private static final long SECOND_NANOS = 1_000_000_000;

    private final DayService service;
    private final int secure;
    private final Thread looking;
    private volatile boolean isOver;

    /// The resident memory of each process, in KiB, second by second.
    private final Map<Long, List<Long>> resident = new ConcurrentHashMap<>();

    /// The serial numbers that were shown.
    final Set<String> certificates = ConcurrentHashMap.newKeySet();

    /// @param secure the port of the listener with TLS
    DaySamples(DayService service, int secure) {
        this.service = service;
        this.secure = secure;
        looking = Thread.ofVirtual().start(this::look);
    }

    private void look() {
        while (!isOver) {
            long pid = service.pid();
            long kibibytes = DayService.residentKibibytes(pid);
            if (kibibytes > 0)
                resident.computeIfAbsent(pid, _ -> new CopyOnWriteArrayList<>()).add(kibibytes);
            lookAtCertificate();
            LockSupport.parkNanos(SECOND_NANOS);
        }
    }

    private void lookAtCertificate() {
        var client = new CredulousClient();
        try (var _ = DayConnection.open(secure, client.context())) {
            client.seen().map(X509Certificate::getSerialNumber).ifPresent(one -> certificates.add(one.toString(16)));
        } catch (IOException _) {
            // There is none yet. The load hears of everything else.
        }
    }

    /// Processes that were looked at for so long, and their means in MiB: of the second quarter of that time, when
    /// each had warmed up, and of the last one.
    ///
    /// @param seconds at least
    List<Growth> growth(int seconds) {
        return resident.entrySet().stream()
                .filter(entry -> entry.getValue().size() >= seconds)
                .map(entry -> Growth.of(entry.getKey(), entry.getValue()))
                .toList();
    }

    record Growth(long pid, int seconds, long warmMebibytes, long endMebibytes) {
        private static Growth of(long pid, List<Long> samples) {
            int quarter = samples.size() / 4;
            return new Growth(
                    pid,
                    samples.size(),
                    mean(samples.subList(quarter, 2 * quarter)),
                    mean(samples.subList(samples.size() - quarter, samples.size())));
        }

        private static long mean(List<Long> kibibytes) {
            return (long) kibibytes.stream().mapToLong(one -> one).average().orElse(0) / 1024;
        }
    }

    @Override
    public void close() {
        isOver = true;
        DayService.join(looking);
    }
}
