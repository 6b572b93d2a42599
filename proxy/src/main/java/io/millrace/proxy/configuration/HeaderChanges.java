package io.millrace.proxy.configuration;

import io.millrace.http.Headers;
import io.millrace.http.message.FieldChanges;
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

    /// The same, for a request on its way, whose fields come from a stranger: there are backends that take `_` for
    /// `-`, so one name is left out in both forms.
    public FieldChanges onTheWay() {
        var added = Headers.builder();
        set.forEach(added::add);
        add.forEach(added::add);
        return new FieldChanges(
                remove.stream().map(name -> name.replace('_', '-')).toList(), added.build());
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

    /// What a status says of how a request went.
    public enum StatusClass {
        /// It went as asked: 101, 2xx, and 304, which stands for a 200.
        SUCCESS,
        /// The client is sent elsewhere: 3xx without 304.
        REDIRECT,
        /// It could not be done: 4xx and 5xx.
        ERROR;

        /// That of a status, 100 to 599.
        public static StatusClass of(int status) {
            if (status >= 400) return ERROR;
            return status < 300 || status == 304 ? SUCCESS : REDIRECT;
        }
    }
}
