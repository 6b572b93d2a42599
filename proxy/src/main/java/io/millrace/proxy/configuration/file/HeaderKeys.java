package io.millrace.proxy.configuration.file;

import io.millrace.http.Headers;
import io.millrace.http.filter.Compression;
import io.millrace.proxy.configuration.HeaderChanges;
import io.millrace.proxy.configuration.HeaderChanges.ResponseHeaders;
import io.millrace.proxy.configuration.HeaderChanges.StatusClass;
import io.millrace.proxy.configuration.RouteSettings.ContentSettings;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.KeyTable;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape.TextOr;
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.Set;

/// Changes of messages: of their fields, and of the content of responses.
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

    /// What becomes of the content of responses.
    static final class ContentKeys {
        private static final Section<Compression> COMPRESSION_SECTION = KeyTable.of(
                        "compression",
                        "Compresses responses with gzip, or deflate for clients that prefer it: the proxy's own, files and"
                                + " those of backends, while they pass. Not those with a `Content-Encoding`, parts"
                                + " of files (206), events, and responses with `Cache-Control: no-transform`. It sets"
                                + " `Vary`, and makes a strong `ETag` weak. Do not compress a page that has both a"
                                + " secret and text that others choose: its length gives the secret away (BREACH).",
                        Compression.gzip())
                .key(
                        "level",
                        new WholeNumber(1, 9, ""),
                        "From 1, the fastest, to 9, the smallest: 6 saves another 10 to 20 %, in two to four times the"
                                + " time.")
                .key(
                        "min-size",
                        "least",
                        new Size(0, 1L << 30),
                        "Shorter bodies stay as they are. One of unknown length counts as long.")
                .optional(
                        "types",
                        Listing.of(Words.MEDIA_TYPE),
                        "The media types that are compressed, `font/*` for all of a kind; by default text, JSON, XML,"
                                + " scripts, WebAssembly, SVG, and fonts that are not compressed yet.")
                .section();

        static final Key<Compression> COMPRESSION = Key.optional(
                "compression",
                new TextOr<>(compressions(), COMPRESSION_SECTION),
                "Compresses responses: `gzip` with the defaults of the section; `off` for a route of a listener that"
                        + " does. A route's value takes the place of its listener's. Layer 7.");

        private ContentKeys() {}

        private static Choice<Compression> compressions() {
            var words = new LinkedHashMap<String, Compression>();
            words.put("gzip", Compression.gzip());
            words.put("off", Compression.gzip().types(List.of()));
            return new Choice<>(words);
        }

        static ContentSettings content(Values values) {
            return new ContentSettings(values.optional(COMPRESSION));
        }
    }
}
