package io.millrace.proxy.configuration.file;

import io.millrace.http.Headers;
import io.millrace.http.filter.RequestTemplate;
import io.millrace.proxy.configuration.HeaderChanges;
import io.millrace.proxy.configuration.HeaderChanges.FieldTemplate;
import io.millrace.proxy.configuration.HeaderChanges.ResponseHeaders;
import io.millrace.proxy.configuration.HeaderChanges.StatusClass;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.Set;

/// Changes of a message's fields.
final class HeaderKeys {
    private static final Named<RequestTemplate> FIELDS = Named.of("field", Words.FIELD.form(), Words.FIELD_TEMPLATE);

    private static final Key<SequencedMap<String, RequestTemplate>> SET =
            Key.optional("set", FIELDS, "Fields that replace those of the same name.");
    private static final Key<SequencedMap<String, RequestTemplate>> ADD =
            Key.optional("add", FIELDS, "Fields that are added to those of the same name.");
    private static final Key<List<String>> REMOVE =
            Key.optional("remove", Listing.of(Words.FIELD.checked(Words::changeable)), "Names of fields to remove.");

    private static final Key<List<StatusClass>> STATUSES = Key.standard(
            "statuses",
            Listing.of(Choice.of(StatusClass.class)),
            List.of(StatusClass.SUCCESS),
            "The responses that `set` and `add` apply to: `success` is 2xx, 304 and 101, `redirect` the rest of"
                    + " 3xx, `error` 4xx and 5xx.");

    static final Key<HeaderChanges> REQUEST = Key.standard(
            "request-headers",
            Section.of(
                            "header changes",
                            "Changes of a request's fields: first `remove`, then `set`, then `add`. Fields about"
                                    + " the connection or the length of the body cannot be changed. A field has"
                                    + " [values of the request](#values-of-a-request).",
                            HeaderKeys::changes,
                            SET,
                            ADD,
                            REMOVE)
                    .with(Rule.atLeastOneOf(SET, ADD, REMOVE)),
            HeaderChanges.NONE,
            "Changes of the forwarded request's fields. With `upstream` or `split`.");

    static final Key<ResponseHeaders> RESPONSE = Key.standard(
            "response-headers",
            Section.of(
                            "response header changes",
                            "Changes of a response's fields, for the proxy's own responses, too: first `remove`,"
                                    + " for every response, then `set` and `add`, for those in `statuses`. So"
                                    + " a `Cache-Control` does not make caches keep errors; for a field like"
                                    + " `Strict-Transport-Security`, name `error` in `statuses`, too. Fields"
                                    + " about the connection or the length of the body cannot be changed. A"
                                    + " field has [values of the request](#values-of-a-request).",
                            HeaderKeys::responses,
                            SET,
                            ADD,
                            REMOVE,
                            STATUSES)
                    .with(Rule.atLeastOneOf(SET, ADD, REMOVE), Rule.needs(STATUSES, SET, ADD)),
            ResponseHeaders.NONE,
            "Changes of the response's fields, for any action.");

    private HeaderKeys() {}

    private static HeaderChanges changes(Values values) {
        var fields = new ArrayList<>(fields(values, SET));
        var remove = removed(values);
        fields.forEach(field -> remove.add(field.name().toLowerCase(Locale.ROOT)));
        fields.addAll(fields(values, ADD));
        return new HeaderChanges(Set.copyOf(remove), List.copyOf(fields));
    }

    private static ResponseHeaders responses(Values values) {
        var others = new HeaderChanges(Set.copyOf(removed(values)), List.of());
        return new ResponseHeaders(Set.copyOf(values.of(STATUSES)), changes(values), others);
    }

    private static Set<String> removed(Values values) {
        var names = new HashSet<String>();
        for (var name : values.optional(REMOVE).orElse(List.of())) names.add(name.toLowerCase(Locale.ROOT));
        return names;
    }

    private static List<FieldTemplate> fields(Values values, Key<SequencedMap<String, RequestTemplate>> key) {
        var fields = new ArrayList<FieldTemplate>();
        values.optional(key)
                .ifPresent(all -> all.forEach((name, value) -> {
                    try {
                        // Its own text must be one that can be sent.
                        var _ = Headers.EMPTY.with(Words.changeable(name), value.toString());
                        fields.add(new FieldTemplate(name, value));
                    } catch (IllegalArgumentException e) {
                        throw values.refused(key, String.valueOf(e.getMessage()));
                    }
                }));
        return fields;
    }
}
