package io.millrace.proxy.configuration;

import io.millrace.http.Headers;
import io.millrace.http.message.FieldChanges;
import java.util.Locale;
import java.util.Set;

/// Changes of a message's fields. Immutable.
///
/// @param remove names in lower case, those of [#set] included
/// @param set fields that replace those of the same name
/// @param add fields that are added to those of the same name
public record HeaderChanges(Set<String> remove, Headers set, Headers add) {
    public static final HeaderChanges NONE = new HeaderChanges(Set.of(), Headers.EMPTY, Headers.EMPTY);

    public boolean isEmpty() {
        return remove.isEmpty() && set.size() == 0 && add.size() == 0;
    }

    /// The same, for a client's request. Some backends take `_` for `-`, so a removed name is removed in both
    /// forms.
    public FieldChanges onTheWay() {
        var added = Headers.builder();
        set.forEach(added::add);
        add.forEach(added::add);
        return new FieldChanges(
                remove.stream().map(name -> name.replace('_', '-')).toList(), added.build());
    }

    /// The fields after the changes.
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

    /// Changes of the fields of responses. Immutable.
    ///
    /// @param statuses the responses that `changes` applies to
    /// @param changes of those
    /// @param others changes of all other responses: the fields that no response may have
    public record ResponseHeaders(Set<StatusClass> statuses, HeaderChanges changes, HeaderChanges others) {
        public static final ResponseHeaders NONE =
                new ResponseHeaders(Set.of(StatusClass.SUCCESS), HeaderChanges.NONE, HeaderChanges.NONE);

        public boolean isEmpty() {
            return changes.isEmpty() && others.isEmpty();
        }

        /// The changes for a response with this status.
        public HeaderChanges of(int status) {
            return statuses.contains(StatusClass.of(status)) ? changes : others;
        }
    }

    /// The outcome that a status stands for.
    public enum StatusClass {
        /// Success: 101, 2xx, and 304, which stands for a 200.
        SUCCESS,
        /// A redirect: 3xx except 304.
        REDIRECT,
        /// An error: 4xx and 5xx.
        ERROR;

        /// The class of a status, 100 to 599.
        public static StatusClass of(int status) {
            if (status >= 400) return ERROR;
            return status < 300 || status == 304 ? SUCCESS : REDIRECT;
        }
    }
}
