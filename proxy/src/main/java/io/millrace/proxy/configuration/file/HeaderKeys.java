package io.millrace.proxy.configuration.file;

import io.millrace.http.Headers;
import io.millrace.http.filter.Compression;
import io.millrace.http.filter.ErrorPages;
import io.millrace.http.filter.Expires;
import io.millrace.http.filter.Expires.Lifetime;
import io.millrace.http.filter.RequestTemplate;
import io.millrace.http.grammar.MediaRange;
import io.millrace.proxy.configuration.HeaderChanges;
import io.millrace.proxy.configuration.HeaderChanges.FieldTemplate;
import io.millrace.proxy.configuration.HeaderChanges.ResponseHeaders;
import io.millrace.proxy.configuration.HeaderChanges.StatusClass;
import io.millrace.proxy.configuration.RouteSettings.ContentSettings;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.KeyTable;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape.TextOr;
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/// Changes of messages: of their fields, and of the content of responses.
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

    /// What becomes of the content of responses.
    static final class ContentKeys {
        private static final Duration LONGEST = Duration.ofDays(Lifetime.MOST_DAYS);

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

        private static final Section<Lifetime> LIFETIME = KeyTable.of(
                        "expires time", "For how long a response may be used.", Lifetime.class)
                .required("max-age", Words.duration(Duration.ZERO, LONGEST), "In whole seconds.")
                .keyOr(
                        "immutable",
                        Words.FLAG,
                        false,
                        "Whether it does not change in this time, so that a reload of a page does not ask again: for"
                                + " files whose names change with their content.")
                .section();

        private static final Named<Lifetime> LIFETIMES =
                Named.of("media type", MediaRange.FORM, new TextOr<>(lifetimes(), LIFETIME));

        static final Key<SequencedMap<String, Lifetime>> EXPIRES = Key.optional(
                "expires",
                LIFETIMES,
                "For how long clients and caches may use a response without asking again (`Cache-Control: max-age`), by"
                        + " its media type: `text/html`, `image/*` for all of a kind, `*/*` for all others. For GET"
                        + " and HEAD with status 200, 203, 206 or 304; not for events, and not in place of a"
                        + " `Cache-Control` or `Expires`, or beside a `Set-Cookie`, that the response has. A route's"
                        + " value takes the place of its listener's. Layer 7.");

        private static final Key<List<Long>> PAGE_STATUSES =
                Key.optional("statuses", Listing.of(new WholeNumber(400, 599, "")), "The errors that get the page.");
        private static final Key<Integer> PAGE_CLASS = Key.optional(
                "class", classes(), "All errors that begin with this digit; a page for a status comes first.");
        private static final Key<String> PAGE_PATH = Key.required(
                "path", Scalar.text("a path in the folder", "/[!-~]*", "/404.html"), "The file, below the folder.");
        private static final Section<PageSettings> PAGE = Section.of(
                        "error page",
                        "A page for some errors.",
                        values -> new PageSettings(
                                values.optional(PAGE_STATUSES).orElse(List.of()),
                                values.optional(PAGE_CLASS),
                                values.of(PAGE_PATH)),
                        PAGE_STATUSES,
                        PAGE_CLASS,
                        PAGE_PATH)
                .with(Rule.exactlyOneOf(PAGE_STATUSES, PAGE_CLASS));

        private static final Key<Path> PAGE_FOLDER =
                Key.required("folder", Words.FOLDER, "The folder. Relative to that of the configuration.");
        private static final Key<List<PageSettings>> PAGES =
                Key.required("pages", Listing.of(PAGE), "The pages, of 64 files at most.");
        private static final Key<Boolean> INTERCEPT = Key.standard(
                "intercept-errors",
                Words.FLAG,
                false,
                "Whether errors of backends get these pages, too. Their status and fields stay, except the fields of"
                        + " their content.");

        static final Key<ErrorPages> ERROR_PAGES = Key.optional(
                "error-pages",
                Section.of(
                        "error pages",
                        "Files as the bodies of errors that the proxy makes itself (no route, no backend, `access`,"
                                + " `rate-limit`, a malformed request …); the status stays. A `respond` with a body"
                                + " keeps it. The files are read with the configuration, and again when they change;"
                                + " of a page that is missing, or longer than 256 KiB, a log line tells, and its"
                                + " errors stay plain.",
                        ContentKeys::errorPages,
                        PAGE_FOLDER,
                        PAGES,
                        INTERCEPT),
                "Files as the bodies of errors. A route's pages come first, then its listener's, except that only one of"
                        + " the two intercepts. Layer 7.");

        /// An item of [#PAGES].
        private record PageSettings(List<Long> statuses, Optional<Integer> ofClass, String path) {}

        private ContentKeys() {}

        private static Choice<Integer> classes() {
            var words = new LinkedHashMap<String, Integer>();
            words.put("4xx", 400);
            words.put("5xx", 500);
            return new Choice<>(words);
        }

        private static ErrorPages errorPages(Values values) {
            var pages = ErrorPages.in(values.of(PAGE_FOLDER)).interceptErrors(values.of(INTERCEPT));
            var known = new HashSet<Object>();
            try {
                for (var page : values.of(PAGES)) {
                    if (page.ofClass.isEmpty()) continue;
                    int first = page.ofClass.get();
                    if (!known.add(page.ofClass)) throw twice(values, first / 100 + "xx");
                    pages = pages.pages(first, first + 99, page.path);
                }
                for (var page : values.of(PAGES)) {
                    for (var status : page.statuses) {
                        if (!known.add(status)) throw twice(values, status);
                        pages = pages.page(Math.toIntExact(status), page.path);
                    }
                }
                return pages;
            } catch (IllegalArgumentException e) {
                throw values.refused(PAGES, String.valueOf(e.getMessage()));
            }
        }

        private static IllegalArgumentException twice(Values values, Object what) {
            return values.refused(PAGES, "two pages are for " + what + ": leave one out");
        }

        private static Scalar<Lifetime> lifetimes() {
            var time = Words.duration(Duration.ZERO, LONGEST);
            return new Scalar<>(
                    time.name(),
                    time.form(),
                    "30d",
                    time.range(),
                    false,
                    time.literally(),
                    (text, place) -> new Lifetime(time.parser().parse(text, place), false),
                    lifetime -> time.text(lifetime.maxAge()));
        }

        private static Optional<Expires> expires(Values values) {
            if (!values.has(EXPIRES)) return Optional.empty();
            var expires = Expires.of();
            var known = new HashSet<String>();
            for (var one : values.optional(EXPIRES).orElseThrow().entrySet()) {
                if (!known.add(one.getKey().toLowerCase(Locale.ROOT)))
                    throw values.refused(EXPIRES, "two items are for " + one.getKey() + ": leave one out");
                expires = expires.type(one.getKey(), one.getValue());
            }
            return Optional.of(expires);
        }

        private static Choice<Compression> compressions() {
            var words = new LinkedHashMap<String, Compression>();
            words.put("gzip", Compression.gzip());
            words.put("off", Compression.gzip().types(List.of()));
            return new Choice<>(words);
        }

        static ContentSettings content(Values values) {
            return new ContentSettings(values.optional(COMPRESSION), expires(values), values.optional(ERROR_PAGES));
        }
    }
}
