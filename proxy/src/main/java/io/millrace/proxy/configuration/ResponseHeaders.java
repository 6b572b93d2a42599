package io.millrace.proxy.configuration;

import java.util.Set;

/// What becomes of the fields of responses. Immutable.
///
/// @param statuses of which responses are changed
/// @param changes of these
/// @param others changes of all other responses: the fields that none has
public record ResponseHeaders(Set<StatusClass> statuses, HeaderChanges changes, HeaderChanges others) {
    public static final ResponseHeaders NONE =
            new ResponseHeaders(Set.of(StatusClass.SUCCESS), HeaderChanges.NONE, HeaderChanges.NONE);

    public boolean isEmpty() {
        return changes.isEmpty() && others.isEmpty();
    }

    /// The changes of a response with this status.
    public HeaderChanges of(int status) {
        return statuses.contains(StatusClass.of(status)) ? changes : others;
    }
}
