package io.millrace.proxy.configuration.file;

import io.millrace.http.Headers;
import io.millrace.proxy.configuration.HeaderChanges;
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

/// What becomes of the fields of a message.
final class HeaderKeys {
    private static final Named<String> FIELDS = Named.of("field", Words.FIELD.form(), Words.VALUE);

    private static final Key<SequencedMap<String, String>> SET =
            Key.optional("set", FIELDS, "Fields that are there once, instead of those of their names.");
    private static final Key<SequencedMap<String, String>> ADD =
            Key.optional("add", FIELDS, "Fields that are there, too.");
    private static final Key<List<String>> REMOVE =
            Key.optional("remove", Listing.of(Words.FIELD.checked(Words::changeable)), "Fields that are not there.");

    private static final Section<HeaderChanges> SECTION = Section.of(
                    "header changes",
                    "What becomes of the fields of a message: first `remove`, then `set`, then `add`. Fields that speak of a"
                            + " connection, or of the length of a body, are not for this.",
                    HeaderKeys::changes,
                    SET,
                    ADD,
                    REMOVE)
            .with(Rule.atLeastOneOf(SET, ADD, REMOVE));

    static final Key<HeaderChanges> REQUEST = Key.standard(
            "request-headers", SECTION, HeaderChanges.NONE, "Changes of what is passed on. With `upstream`.");
    static final Key<HeaderChanges> RESPONSE = Key.standard(
            "response-headers", SECTION, HeaderChanges.NONE, "Changes of the response, whatever the action.");

    private HeaderKeys() {}

    private static HeaderChanges changes(Values values) {
        var set = fields(values, SET);
        var remove = new HashSet<String>();
        set.forEach((name, _) -> remove.add(name.toLowerCase(Locale.ROOT)));
        for (var name : values.optional(REMOVE).orElse(List.of())) remove.add(name.toLowerCase(Locale.ROOT));
        return new HeaderChanges(java.util.Set.copyOf(remove), set, fields(values, ADD));
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
