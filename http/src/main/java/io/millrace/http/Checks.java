package io.millrace.http;

import io.millrace.net.CheckReturnValue;
import java.util.ArrayList;
import java.util.List;

/// Conditions that a request must meet. The peer gets one answer, a 422 with every field that fails. Immutable.
///
/// ```java
/// Checks.that(!room.name().isBlank(), "/name", "is empty")
///         .and(room.seats() > 0, "/seats", "is less than 1")
///         .orThrow();
/// ```
@CheckReturnValue
public final class Checks {
    private static final Checks PASSED = new Checks(List.of());

    private final List<FieldError> failed;

    private Checks(List<FieldError> failed) {
        this.failed = failed;
    }

    /// Starts with one condition.
    ///
    /// @param field see [FieldError]
    /// @param wrong what is wrong if `isSo` is false, in words for the sender
    public static Checks that(boolean isSo, String field, String wrong) {
        return PASSED.and(isSo, field, wrong);
    }

    /// Adds a condition; as [#that].
    public Checks and(boolean isSo, String field, String wrong) {
        if (isSo) return this;
        var more = new ArrayList<>(failed);
        more.add(new FieldError(field, wrong));
        return new Checks(List.copyOf(more));
    }

    /// The fields that failed.
    public List<FieldError> failed() {
        return failed;
    }

    /// Returns if every condition is met.
    ///
    /// @throws HttpError with 422 and every field that failed
    public void orThrow() {
        if (failed.isEmpty()) return;
        var error = new HttpError(422, "failed checks: " + failed);
        for (var one : failed) error = error.field(one.field(), one.detail());
        throw error;
    }
}
