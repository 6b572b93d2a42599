package io.millrace.http.message;

import io.millrace.http.Headers;
import io.millrace.http.grammar.StrippedFields;
import io.millrace.http.grammar.Syntax;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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

    /// With one more field.
    ///
    /// @throws IllegalArgumentException for a name or a value that may not be sent
    public FieldChanges with(String name, String value) {
        return new FieldChanges(leftOut, added.with(name, value));
    }

    /// Without fields of a name, whether they came or were added.
    ///
    /// @throws IllegalArgumentException for a name that is none
    public FieldChanges without(String name) {
        Syntax.checkName(name);
        // Here it would stand for all that begin so.
        if (name.endsWith("*"))
            throw new IllegalArgumentException("a field with the name " + name + ": leave out the *");
        var names = new ArrayList<>(leftOut);
        names.add(name.toLowerCase(Locale.ROOT).replace('_', '-'));
        return new FieldChanges(List.copyOf(names), added.without(name));
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
