package io.millrace.proxy.configuration.file;

import io.millrace.http.Headers;
import io.millrace.proxy.configuration.HeaderChanges;
import io.millrace.proxy.configuration.HeaderChanges.ResponseHeaders;
import io.millrace.proxy.configuration.HeaderChanges.StatusClass;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.Set;

/// Changes of a message's fields.
final class HeaderKeys {
    private static final Named<String> FIELDS = Named.of("field", Words.FIELD.form(), Words.VALUE);

    private static final Key<SequencedMap<String, String>> SET =
            Key.optional("set", FIELDS, "Fields that replace those of the same name.");
    private static final Key<SequencedMap<String, String>> ADD =
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
                                    + " the connection or the length of the body cannot be changed.",
                            HeaderKeys::changes,
                            SET,
                            ADD,
                            REMOVE)
                    .with(Rule.atLeastOneOf(SET, ADD, REMOVE)),
            HeaderChanges.NONE,
            "Changes of the forwarded request's fields. With `upstream`.");

    static final Key<ResponseHeaders> RESPONSE = Key.standard(
            "response-headers",
            Section.of(
                            "response header changes",
                            "Changes of a response's fields, for the proxy's own responses, too: first `remove`,"
                                    + " for every response, then `set` and `add`, for those in `statuses`. So"
                                    + " a `Cache-Control` does not make caches keep errors; for a field like"
                                    + " `Strict-Transport-Security`, name `error` in `statuses`, too. Fields"
                                    + " about the connection or the length of the body cannot be changed.",
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
        var set = fields(values, SET);
        var remove = removed(values);
        set.forEach((name, _) -> remove.add(name.toLowerCase(Locale.ROOT)));
        return new HeaderChanges(Set.copyOf(remove), set, fields(values, ADD));
    }

    private static ResponseHeaders responses(Values values) {
        var others = new HeaderChanges(Set.copyOf(removed(values)), Headers.EMPTY, Headers.EMPTY);
        return new ResponseHeaders(Set.copyOf(values.of(STATUSES)), changes(values), others);
    }

    private static Set<String> removed(Values values) {
        var names = new HashSet<String>();
        for (var name : values.optional(REMOVE).orElse(List.of())) names.add(name.toLowerCase(Locale.ROOT));
        return names;
    }

    private static Headers fields(Values values, Key<SequencedMap<String, String>> key) {
        var fields = Headers.builder();
        values.optional(key)
                .ifPresent(all -> all.forEach((name, value) -> {
                    try {
                        fields.add(Words.changeable(name), value);
                    } catch (IllegalArgumentException e) {
                        throw values.refused(key, String.valueOf(e.getMessage()));
                    }
                }));
        return fields.build();
    }
}
