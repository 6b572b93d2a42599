package io.millrace.acme;

import io.millrace.http.acme.AcmeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A certificate that is kept, and when to look at it next. Used on the keeper's loop.
final class Kept {
    /// The pause after the first failure; it doubles each time. Authorities allow a name few failures per hour.
    static final Duration FIRST_PAUSE = Duration.ofMinutes(5);

    static final Duration LONGEST_PAUSE = Duration.ofHours(12);
    private static final int MOST_DOUBLINGS = 8;

    /// The longest that an authority can have it wait (`acme.retry-after`): limits are counted by the week.
    static final Duration LONGEST_RETRY_AFTER = Duration.ofDays(7);

    final AcmeSettings settings;

    /// From 0 to 1: so that certificates which are alike are not renewed all at once.
    final double luck;

    Instant due;
    Optional<Instant> expires = Optional.empty();
    int failuresInRow;
    long issued;
    long failed;
    boolean hasSaidNone;

    Kept(AcmeSettings settings, double luck, Instant due) {
        this.settings = settings;
        this.luck = luck;
        this.due = due;
    }

    /// Decides when to try again, not before the authority allows it.
    void failed(Instant now, Optional<Instant> retryAfter) {
        failed++;
        var pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failuresInRow, MOST_DOUBLINGS));
        if (pause.compareTo(LONGEST_PAUSE) > 0) pause = LONGEST_PAUSE;
        failuresInRow++;
        var next = now.plus(pause).plusMillis((long) (pause.toMillis() * 0.2 * luck));
        var latest = now.plus(LONGEST_RETRY_AFTER);
        due = retryAfter
                .filter(next::isBefore)
                .map(wanted -> wanted.isBefore(latest) ? wanted : latest)
                .orElse(next);
    }
}
