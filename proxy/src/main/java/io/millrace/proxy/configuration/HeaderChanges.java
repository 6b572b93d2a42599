package io.millrace.proxy.configuration;

import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.filter.RequestTemplate;
import io.millrace.http.message.FieldChanges;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// Changes of a message's fields. Immutable.
///
/// @param remove names in lower case, those of the set fields included
/// @param fields those that are set, then those that are added
public record HeaderChanges(Set<String> remove, List<FieldTemplate> fields) {
    public static final HeaderChanges NONE = new HeaderChanges(Set.of(), List.of());

    /// A field whose value is made of a request.
    public record FieldTemplate(String name, RequestTemplate value) {}

    public boolean isEmpty() {
        return remove.isEmpty() && fields.isEmpty();
    }

    /// With other values.
    public HeaderChanges with(UnaryOperator<RequestTemplate> change) {
        return new HeaderChanges(
                remove,
                fields.stream()
                        .map(field -> new FieldTemplate(field.name, change.apply(field.value)))
                        .toList());
    }

    public Stream<RequestTemplate> templates() {
        return fields.stream().map(FieldTemplate::value);
    }

    /// Whether the fields are the same for every request.
    public boolean isConstant() {
        return templates().allMatch(RequestTemplate::isConstant);
    }

    /// The fields to add for a request. One whose values the request does not have is left out.
    public Headers added(Request request) {
        var all = Headers.builder();
        for (var field : fields) {
            var value = field.value.field(request);
            if (!value.isEmpty() || field.value.isConstant()) all.add(field.name, value);
        }
        return all.build();
    }

    /// The same, for a client's request. Some backends take `_` for `-`, so a removed name is removed in both
    /// forms.
    public FieldChanges onTheWay(Headers added) {
        return new FieldChanges(
                remove.stream().map(name -> name.replace('_', '-')).toList(), added);
    }

    /// The fields after the changes.
    ///
    /// @param added the result of [#added]
    public Headers of(Headers received, Headers added) {
        if (isEmpty()) return received;
        var changed = Headers.builder();
        for (int i = 0; i < received.size(); i++) {
            if (!remove.contains(received.name(i).toLowerCase(Locale.ROOT)))
                changed.add(received.name(i), received.value(i));
        }
        if (!fields.isEmpty()) added.forEach(changed::add);
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

        /// With other values of fields.
        public ResponseHeaders with(UnaryOperator<RequestTemplate> change) {
            return new ResponseHeaders(statuses, changes.with(change), others);
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
