package io.millrace.http;

import io.millrace.net.CheckReturnValue;
import java.util.ArrayList;
import java.util.List;

/// What has to be so of a request, all of which its peer hears in one answer: a 422 with every field that is
/// not as it should be. Immutable.
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

    /// The first of them.
    ///
    /// @param field see [FieldError]
    /// @param wrong what is wrong with it if it is not so, for whoever sent it
    public static Checks that(boolean isSo, String field, String wrong) {
        return PASSED.and(isSo, field, wrong);
    }

    /// One more; as [#that].
    public Checks and(boolean isSo, String field, String wrong) {
        if (isSo) return this;
        var more = new ArrayList<>(failed);
        more.add(new FieldError(field, wrong));
        return new Checks(List.copyOf(more));
    }

    /// The fields that are not as they should be.
    public List<FieldError> failed() {
        return failed;
    }

    /// Goes on if all of it is so.
    ///
    /// @throws HttpError with 422 and every field that is not as it should be
    public void orThrow() {
        if (failed.isEmpty()) return;
        var error = new HttpError(422, "not as it should be: " + failed);
        for (var one : failed) error = error.field(one.field(), one.detail());
        throw error;
    }
}
