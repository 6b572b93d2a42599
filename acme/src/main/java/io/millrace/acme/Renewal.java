package io.millrace.acme;

import io.millrace.acme.Issuer.RenewalWindow;
import io.millrace.tls.TlsIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// When a certificate is to be renewed: in the last third of its life, or when the authority says so (RFC 9773).
///
/// @param due when
/// @param again when to ask the authority again, if it is not due before
record Renewal(Instant due, Instant again) {
    /// How often the authority is asked for the time of renewal, if it does not say how often (`acme.look`).
    static final Duration LOOK = Duration.ofHours(6);

    private static final Duration SHORTEST_LOOK = Duration.ofMinutes(1);
    private static final Duration LONGEST_LOOK = Duration.ofDays(1);

    /// An authority that wants every certificate to be renewed at once is obeyed once a day (`acme.renewal`).
    private static final Duration LEAST_AGE = Duration.ofDays(1);

    /// @param window what the authority wants, if it said something that can be used
    /// @param luck from 0 to 1: where in the window
    static Renewal of(TlsIdentity identity, Optional<RenewalWindow> window, Instant now, double luck) {
        var certificate = identity.chain().getFirst();
        var begin = certificate.getNotBefore().toInstant();
        var end = certificate.getNotAfter().toInstant();
        var third = Duration.between(begin, end).dividedBy(3);
        var own = end.minus(third).plus(part(third, luck / 10));
        if (window.isEmpty()) return new Renewal(own, now.plus(LOOK));
        var wanted = window.get();
        var theirs = wanted.start().plus(part(Duration.between(wanted.start(), wanted.end()), luck));
        var due = earlier(later(theirs, begin.plus(LEAST_AGE)), end.minus(third.dividedBy(2)));
        var again = wanted.again().orElse(now.plus(LOOK));
        return new Renewal(due, later(earlier(again, now.plus(LONGEST_LOOK)), now.plus(SHORTEST_LOOK)));
    }

    /// When to look at it next.
    Instant next() {
        return earlier(due, again);
    }

    private static Duration part(Duration whole, double of) {
        return Duration.ofMillis((long) (whole.toMillis() * of));
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
