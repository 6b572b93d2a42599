package io.millrace.http.message;

import io.millrace.http.Headers;
import io.millrace.http.grammar.StrippedFields;
import io.millrace.http.grammar.Syntax;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Changes that a proxy makes to a message's fields: they are applied after the connection's fields are
/// removed, so that a peer cannot name one of them in its `Connection`. Immutable.
///
/// @param leftOut names of fields to remove, as in [StrippedFields]
/// @param added fields to add then
public record FieldChanges(List<String> leftOut, Headers added) {
    public static final FieldChanges NONE = new FieldChanges(List.of(), Headers.EMPTY);

    /// Whether received fields of this name are removed.
    public boolean leavesOut(String name) {
        return StrippedFields.isOneOf(leftOut, name);
    }

    /// With one more field.
    ///
    /// @throws IllegalArgumentException for a name or a value that must not be sent
    public FieldChanges with(String name, String value) {
        return new FieldChanges(leftOut, added.with(name, value));
    }

    /// Without fields of this name, received or added.
    ///
    /// @throws IllegalArgumentException for an invalid name
    public FieldChanges without(String name) {
        Syntax.checkName(name);
        // In this list it would stand for all names with this prefix.
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
