package io.millrace.proxy.configuration;

import io.millrace.http.Headers;
import java.util.Locale;
import java.util.Set;

/// What becomes of the fields of a message. Immutable.
///
/// @param remove names in small letters, those of [#set] included
/// @param set fields that are there once, instead of those of this name
/// @param add fields that are there, too
public record HeaderChanges(Set<String> remove, Headers set, Headers add) {
    public static final HeaderChanges NONE = new HeaderChanges(Set.of(), Headers.EMPTY, Headers.EMPTY);

    public boolean isEmpty() {
        return remove.isEmpty() && set.size() == 0 && add.size() == 0;
    }

    /// Fields after the changes.
    public Headers of(Headers fields) {
        if (isEmpty()) return fields;
        var changed = Headers.builder();
        for (int i = 0; i < fields.size(); i++) {
            if (!remove.contains(fields.name(i).toLowerCase(Locale.ROOT))) changed.add(fields.name(i), fields.value(i));
        }
        set.forEach(changed::add);
        add.forEach(changed::add);
        return changed.build();
    }
}
