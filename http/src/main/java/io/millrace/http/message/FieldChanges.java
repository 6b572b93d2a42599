package io.millrace.http.message;

import io.millrace.http.Headers;
import io.millrace.http.grammar.StrippedFields;
import java.util.List;

/// What somebody on the way changes in the fields of a message: they are applied to what is left when the
/// fields of the connection are gone, so that a peer cannot name one of them in its `Connection`. Immutable.
///
/// @param leftOut names of what came, as of [StrippedFields]
/// @param added what is there then, too
public record FieldChanges(List<String> leftOut, Headers added) {
    public static final FieldChanges NONE = new FieldChanges(List.of(), Headers.EMPTY);

    /// Whether fields of this name that came are gone.
    public boolean leavesOut(String name) {
        return StrippedFields.isOneOf(leftOut, name);
    }

    /// Fields after the changes.
    Headers of(Headers fields) {
        var changed = Headers.builder();
        fields.forEach((name, value) -> {
            if (!leavesOut(name)) changed.add(name, value);
        });
        added.forEach(changed::add);
        return changed.build();
    }
}
