package io.millrace.acme;

import io.millrace.acme.Issuer.Issuing;
import io.millrace.acme.Issuer.NotIssued;
import io.millrace.acme.Issuer.Progress;
import io.millrace.http.acme.AcmeChallenges;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.http.acme.CertificateKeeper;
import io.millrace.http.filter.MetricsText;
import io.millrace.loop.Failures;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import io.millrace.net.Loop;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/// Looks at one certificate after the other, and renews those that are due.
///
/// ```
///   IDLE ── the next one is due ──► LOOKING ── too old, or missing ──► ISSUING ──┐
///    ▲                                 │ good, or others renew         │    ▲    │ pending
///    └─────────────────────────────────┴───────── issued, or refused ──┘    └────┘
/// ```
/// All of it happens on one loop, except for files and the authority, which are used on virtual threads.
final class Keeper implements CertificateKeeper {
    private static final System.Logger LOG = LoopLog.of("io.millrace.acme");

    /// How often the lock is tried while another process has it.
    static final Duration LOCKED = Duration.ofSeconds(30);

    /// The longest wait in one piece, because the clock may be set.
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    /// How long an attempt may take (`acme.attempt`).
    static final Duration ATTEMPT = Duration.ofMinutes(15);

    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

    private final Loop loop;
    private final AcmeChallenges challenges;
    private final Issuer authority;
    private final InstantSource clock;
    private final DoubleSupplier luck;
    private final Storage storage = new Storage();
    private Map<AcmeSettings, Kept> all = new LinkedHashMap<>();

    /// It is LOOKING or ISSUING.
    private boolean isBusy;

    private @Nullable Issuing issuing;
    private Loop.@Nullable Timer timer;

    /// What the clock must have reached by now.
    private Instant reached = Instant.MIN;

    private volatile boolean isClosed;
    private volatile List<Snapshot> snapshots = List.of();

    /// For metrics.
    private record Snapshot(String name, Optional<Instant> expires, Instant due, long issued, long failed) {}

    Keeper(Loop loop, AcmeChallenges challenges, Issuer authority, InstantSource clock, DoubleSupplier luck) {
        this.loop = loop;
        this.challenges = challenges;
        this.authority = authority;
        this.clock = clock;
        this.luck = luck;
    }

    @Override
    public AcmeChallenges challenges() {
        return challenges;
    }

    @Override
    public void keep(Collection<AcmeSettings> wanted) {
        var files = new HashSet<Path>();
        for (var one : new HashSet<>(wanted))
            if (!files.add(one.file()))
                throw new IllegalArgumentException(
                        "two certificates would be the file " + one.file() + ": take another first name or storage");
        var list = List.copyOf(wanted);
        onLoop(() -> become(list));
    }

    private void become(List<AcmeSettings> wanted) {
        var next = new LinkedHashMap<AcmeSettings, Kept>();
        for (var one : wanted) {
            var known = all.get(one);
            next.put(one, known == null ? new Kept(one, luck.getAsDouble(), clock.instant()) : known);
        }
        all = next;
        waitForNext();
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException _) {
            // The loop has ended, and with it everything here.
        }
    }

    // IDLE

    private void waitForNext() {
        followClock();
        show();
        if (isBusy || isClosed || all.isEmpty()) return;
        var next = all.values().stream()
                .min(Comparator.comparing((Kept one) -> one.due))
                .orElseThrow();
        var left = Duration.between(reached, next.due);
        var wait = left.isNegative() ? Duration.ZERO : shorter(left, LONGEST_WAIT);
        if (timer != null) timer.cancel();
        timer = loop.after(wait, () -> wake(next, wait));
    }

    /// When the clock was set back, what is due by it comes as much earlier: a look too early does no harm, and the
    /// clock may have been far ahead when the time was set.
    private void followClock() {
        var now = clock.instant();
        if (now.isBefore(reached)) {
            var back = Duration.between(now, reached);
            for (var one : all.values()) one.due = one.due.minus(back);
        }
        reached = now;
    }

    private void wake(Kept next, Duration waited) {
        reached = reached.plus(waited);
        followClock();
        if (isBusy || isClosed) return;
        if (all.get(next.settings) != next || clock.instant().isBefore(next.due)) waitForNext();
        else look(next);
    }

    // LOOKING

    /// What there is.
    ///
    /// @param isOurs whether this process renews
    /// @param identity what is there
    /// @param replaced the same, if it comes from this authority
    /// @param renewal when to renew it; empty at once
    private record Sight(
            boolean isOurs,
            Optional<TlsIdentity> identity,
            Optional<TlsIdentity> replaced,
            Optional<Renewal> renewal) {}

    private void look(Kept one) {
        isBusy = true;
        run(one, () -> sight(one), sight -> saw(one, sight));
    }

    /// Runs what blocks on a virtual thread, and goes on here.
    private <T> void run(Kept one, Callable<T> blocking, Consumer<T> then) {
        var _ = loop.blocking(blocking).whenComplete((result, failure) -> {
            if (isClosed) end();
            else if (failure == null) then.accept(result);
            else failed(one, Failures.bare(failure));
        });
    }

    private Sight sight(Kept one) throws IOException {
        var settings = one.settings;
        boolean isOurs = storage.isOurs(settings);
        var identity = settings.identity();
        if (!isOurs || identity.isEmpty() || !Storage.isFrom(settings.directory(), settings.file()))
            return new Sight(isOurs, identity, Optional.empty(), Optional.empty());
        var renewal = identity.filter(its -> its.names().containsAll(settings.names()))
                .map(its -> Renewal.of(its, window(settings, its), clock.instant(), one.luck));
        return new Sight(true, identity, identity, renewal);
    }

    private Optional<Issuer.RenewalWindow> window(AcmeSettings of, TlsIdentity identity) {
        try {
            return authority.renewal(of, Storage.account(of), identity);
        } catch (NotIssued e) {
            LOG.log(Level.DEBUG, "the authority does not say when to renew {0}: {1}", of, e.getMessage());
            return Optional.empty();
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void saw(Kept one, Sight sight) {
        var now = clock.instant();
        one.expires = sight.identity.map(TlsIdentity::expires);
        if (!sight.isOurs) {
            idle(one, now.plus(LOCKED));
            return;
        }
        if (sight.renewal.isPresent() && sight.renewal.get().due().isAfter(now)) {
            idle(one, sight.renewal.get().next());
            return;
        }
        if (sight.identity.isEmpty() && !one.hasSaidNone) {
            one.hasSaidNone = true;
            LOG.log(
                    Level.INFO,
                    "there is no certificate for {0} yet: TLS with these names fails until the authority"
                            + " has issued it",
                    one.settings);
        }
        issuing = authority.issue(one.settings, Storage.account(one.settings), sight.replaced);
        advance(one, now.plus(ATTEMPT), sight.identity.isPresent());
    }

    private void idle(Kept one, Instant due) {
        one.due = due;
        end();
        waitForNext();
    }

    /// Ends an attempt, if there is one.
    private void end() {
        if (issuing != null) issuing.close();
        issuing = null;
        isBusy = false;
    }

    // ISSUING

    private void advance(Kept one, Instant deadline, boolean isRenewal) {
        var its = issuing;
        if (its == null) return;
        run(one, () -> step(its, one.settings), progress -> progressed(one, deadline, isRenewal, progress));
    }

    private Progress step(Issuing its, AcmeSettings settings) throws NotIssued, IOException {
        var progress = its.advance();
        if (progress instanceof Progress.Issued(var key, var chain)) {
            var identity = TlsIdentity.of(key.getPrivate(), chain);
            Storage.keep(settings, key.getPrivate(), identity);
        }
        return progress;
    }

    private void progressed(Kept one, Instant deadline, boolean isRenewal, Progress progress) {
        switch (progress) {
            case Progress.Issued issued -> issued(one, isRenewal, issued);
            case Progress.Pending(var pause) -> {
                var next = shorter(SHORTEST_PAUSE, pause).equals(pause) ? SHORTEST_PAUSE : pause;
                if (clock.instant().plus(next).isAfter(deadline)) {
                    failed(
                            one,
                            new NotIssued("the authority was not ready within " + Wording.of(ATTEMPT)
                                    + " (acme.attempt): see what it says about its state"));
                    return;
                }
                timer = loop.after(next, () -> {
                    if (isClosed) end();
                    else advance(one, deadline, isRenewal);
                });
            }
        }
    }

    private void issued(Kept one, boolean isRenewal, Progress.Issued issued) {
        var leaf = issued.chain().getFirst();
        var end = leaf.getNotAfter().toInstant();
        one.issued++;
        one.expires = Optional.of(end);
        LOG.log(
                Level.INFO,
                "the certificate for {0} was {1}: it is valid until {2}",
                one.settings,
                isRenewal ? "renewed" : "issued",
                end);
        var third = Duration.between(leaf.getNotBefore().toInstant(), end).dividedBy(3);
        if (!clock.instant().isBefore(end.minus(third))) {
            failed(
                    one,
                    new NotIssued("the certificate that was just issued is due for renewal already:"
                            + " is this machine's clock right?"));
            return;
        }
        one.failuresInRow = 0;
        idle(one, clock.instant());
    }

    private void failed(Kept one, Throwable why) {
        var retryAfter = why instanceof NotIssued refusal ? refusal.retryAfter() : Optional.<Instant>empty();
        one.failed(clock.instant(), retryAfter);
        LOG.log(
                Level.WARNING,
                "no certificate for {0}: {1}; the next attempt is at {2}, {3}",
                one.settings,
                message(why),
                one.due.truncatedTo(ChronoUnit.SECONDS),
                one.expires
                        .map(end -> "and the one that is there stays, until " + end)
                        .orElse("and TLS with these names fails until then"));
        idle(one, one.due);
    }

    private static String message(Throwable why) {
        return switch (why) {
            case NotIssued refusal -> String.valueOf(refusal.getMessage());
            case IOException io -> Wording.of(io);
            case IllegalArgumentException bad -> String.valueOf(bad.getMessage());
            case UncheckedIOException io -> String.valueOf(io.getMessage());
            default -> why.toString();
        };
    }

    // Metrics

    private void show() {
        var found = new ArrayList<Snapshot>();
        for (var one : all.values())
            found.add(new Snapshot(one.settings.names().getFirst(), one.expires, one.due, one.issued, one.failed));
        snapshots = found;
    }

    @Override
    public void write(MetricsText to) {
        var now = snapshots;
        if (now.isEmpty()) return;
        to.counter("millrace_acme_attempts", "Attempts to obtain a certificate, by its first name and the result.");
        for (var one : now) {
            to.total(one.issued, "name", one.name, "result", "issued");
            to.total(one.failed, "name", one.name, "result", "failed");
        }
        to.gauge("millrace_acme_next_look_timestamp_seconds", "Unix time of the next look at a certificate.");
        for (var one : now) to.value(one.due.getEpochSecond(), "name", one.name);
        to.gauge("millrace_acme_certificate_expiry_timestamp_seconds", "Unix time when it expires; 0 without one.");
        for (var one : now) to.value(one.expires.map(Instant::getEpochSecond).orElse(0L), "name", one.name);
    }

    @Override
    public void close() {
        isClosed = true;
        storage.close();
        onLoop(() -> {
            if (timer != null) timer.cancel();
            // A step that runs ends the attempt itself.
            if (issuing != null) issuing.close();
        });
    }
}
