package io.millrace.proxy.configuration.file;

import io.millrace.http.Headers;
import io.millrace.http.filter.RequestTemplate;
import io.millrace.http.filter.TrafficSplit;
import io.millrace.http.grammar.PathPattern;
import io.millrace.http.server.StaticFiles;
import io.millrace.proxy.RequestBodies;
import io.millrace.proxy.UpstreamSettings.HashKey;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings.PathRewrite;
import io.millrace.proxy.configuration.RouteSettings.ActionSettings.WeightedForward;
import io.millrace.proxy.configuration.RouteSettings.PathMatch;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.KeyTable;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape.Reference;
import io.millrace.proxy.configuration.shape.Shape.TextOr;
import io.millrace.proxy.configuration.shape.Size;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// What to do with the requests of a route.
final class ActionKeys {
    private static final Key<String> UPSTREAM =
            Key.optional("upstream", new Reference(UpstreamKeys.KIND), "Forwards the request to these servers.");

    private static final Key<String> NAME = Key.required("name", new Reference(UpstreamKeys.KIND), "The upstream.");
    private static final Key<Long> WEIGHT = Key.required(
            "weight",
            new WholeNumber(0, TrafficSplit.MOST_WEIGHT, ""),
            "Its share of the requests, relative to the others'; 0 for none.");
    private static final Key<List<Weighted>> SHARES = Key.required(
            "upstreams",
            Listing.of(Section.of(
                    "weighted upstream",
                    "One of the upstreams that share the requests of a route.",
                    values -> new Weighted(values.of(NAME), values.of(WEIGHT).intValue()),
                    NAME,
                    WEIGHT)),
            "The upstreams, each with its weight. A request stays with its upstream: retries go to other backends of"
                    + " that one.");
    private static final Key<Optional<HashKey>> BY = Key.standard(
            "by",
            new TextOr<>(byWords(), BalanceKeys.SPLIT_KEY),
            Optional.empty(),
            "What decides: each `request` is drawn; or all requests of a `client`, by its address, go to the same"
                    + " upstream; or those with the same field or cookie. A weight that grows keeps those it has.");
    private static final Key<Splitting> SPLIT = Key.optional(
            "split",
            Section.of(
                    "split",
                    "Forwards requests to several upstreams, by weight: a new version gets a few of them at first.",
                    ActionKeys::splitting,
                    SHARES,
                    BY),
            "Forwards the requests to several upstreams, by weight.");

    private static final Key<PathPattern> NEW_PREFIX =
            Key.optional("prefix", Words.PREFIX, "Replaces the matched prefix; `/` removes it.");
    private static final Key<PathPattern> NEW_PATH = Key.optional(
            "path", Words.PATTERN, "Replaces the whole path; may have the parameters of the matched path.");
    private static final Key<PathRewrite> REWRITE = Key.optional(
            "rewrite",
            Section.of(
                            "rewrite",
                            "The path that the upstream gets; the query stays.",
                            ActionKeys::rewrite,
                            NEW_PREFIX,
                            NEW_PATH)
                    .with(Rule.exactlyOneOf(NEW_PREFIX, NEW_PATH)),
            "The path that the upstream gets. With `upstream` or `split`.");

    private static final Key<RequestBodies> BODY_OF_REQUEST = Key.standard(
            "request-body",
            KeyTable.of("request body", "How request bodies go to the upstream.", RequestBodies.STREAMED)
                    .optional(
                            "max-size",
                            new Size(0, 1L << 50),
                            "The longest body that is accepted; by default any. A longer one gets 413: at once if"
                                    + " its `Content-Length` says so, otherwise as soon as more has arrived.")
                    .key(
                            "buffer",
                            new Size(0, 64L << 20),
                            "A body of up to this size is collected in memory before a backend is chosen, so that"
                                    + " slow clients occupy no backend connections. A longer one is forwarded"
                                    + " as it arrives. 0 collects none.")
                    .was("most", "max-size")
                    .section(),
            RequestBodies.STREAMED,
            "How long request bodies may be, and whether they are collected first. With `upstream` or `split`.");
    private static final Key<ActionSettings.Redirect> REDIRECT = Key.optional(
            "redirect",
            KeyTable.of("redirect", "Redirects the client.", ActionSettings.Redirect.class)
                    .required(
                            "to",
                            Words.LOCATION,
                            "The location, with [values of the request](#values-of-a-request). Without a valid host"
                                    + " that it needs, the response is 400.")
                    .keyOr("status", Words.numbers(301, 302, 303, 307, 308), 302, "The status of the response.")
                    .section(),
            "Redirects the client.");

    private static final Key<Long> STATUS =
            Key.standard("status", new WholeNumber(200, 599, ""), 200L, "The status of the response.");
    private static final Key<String> BODY = Key.standard("body", Words.TEXT, "", "A text, sent in UTF-8.");
    private static final Key<String> TYPE = Key.standard(
            "type",
            Scalar.text("a media type", "[!#$&^_.+a-zA-Z0-9-]+/[!-~][ -~]*", "text/html"),
            "text/plain; charset=utf-8",
            "The media type of the body.");
    private static final Key<ActionSettings.Respond> RESPOND = Key.optional(
            "respond",
            Section.of("respond", "Always the same response.", ActionKeys::respond, STATUS, BODY, TYPE),
            "Always the same response.");

    private static final Key<Path> FOLDER =
            Key.required("folder", Words.FOLDER, "The folder. Relative to that of the configuration.");
    private static final Key<List<String>> INDEX = Key.standard(
            "index",
            Listing.of(Scalar.text(
                    "a name of a file, not hidden",
                    "[^./\\\\\\x00-\\x1f\\x7f-\\x9f][^/\\\\\\x00-\\x1f\\x7f-\\x9f]{0,254}",
                    "index.html")),
            List.of("index.html"),
            "What a folder is served as: the first of these files, 16 at most, that it has.");
    private static final Key<Boolean> LISTING = Key.standard(
            "listing",
            Words.FLAG,
            false,
            "Whether a folder without an index is listed: names, sizes and times, 1000 at most.");
    private static final Key<List<String>> TRY_FILES = Key.optional(
            "try-files",
            Listing.of(Scalar.text(
                    "a path in the folder, {path} with more, or a status", "(\\{path\\}|/|=)[!-~]*", "/index.html")),
            "What is tried, in turn, for a path that leads to nothing, 16 at most: `{path}.html` is the path with more at"
                    + " its end, `/index.html` a file of the folder (for single-page applications, with status"
                    + " 200), `=410` a status, which is the last. By default 404.");
    private static final Key<List<String>> PRECOMPRESSED = Key.optional(
            "precompressed",
            Listing.of(codings()),
            "Serves `a.css.br` (`br`), `a.css.zst` (`zstd`) or `a.css.gz` (`gzip`) in place of `a.css` to clients that"
                    + " accept it, unless it is older; of those that a client wants alike, the first of this list."
                    + " By default none.");
    private static final Key<ActionSettings.Files> FILES = Key.optional(
            "files",
            Section.of(
                    "files",
                    "Files of this machine: media types, ETag, ranges; never a path outside the folder, no hidden"
                            + " files. The matched prefix is not part of the file's path: with `/assets`,"
                            + " `/assets/a.css` is `a.css`.",
                    ActionKeys::files,
                    FOLDER,
                    INDEX,
                    LISTING,
                    TRY_FILES,
                    PRECOMPRESSED),
            "Serves files of this machine. With a `prefix` to match, or without a path.");

    static final List<Key<?>> KEYS =
            List.of(UPSTREAM, SPLIT, REWRITE, HeaderKeys.REQUEST, BODY_OF_REQUEST, REDIRECT, RESPOND, FILES);

    static final List<Rule> RULES = List.of(
            Rule.exactlyOneOf(UPSTREAM, SPLIT, REDIRECT, RESPOND, FILES),
            Rule.needs(REWRITE, UPSTREAM, SPLIT),
            Rule.needs(HeaderKeys.REQUEST, UPSTREAM, SPLIT),
            Rule.needs(BODY_OF_REQUEST, UPSTREAM, SPLIT));

    private ActionKeys() {}

    private record Weighted(String upstream, int weight) {}

    private record Splitting(List<Weighted> shares, Optional<HashKey> by) {}

    private static Choice<Optional<HashKey>> byWords() {
        var words = new LinkedHashMap<String, Optional<HashKey>>();
        words.put("request", Optional.empty());
        words.put("client", Optional.of(HashKey.SOURCE));
        return new Choice<>(words);
    }

    private static Splitting splitting(Values values) {
        var shares = values.of(SHARES);
        if (shares.stream().map(Weighted::upstream).distinct().count() < shares.size())
            throw values.refused(SHARES, "it has an upstream twice: add up its weights");
        if (shares.stream().allMatch(share -> share.weight == 0))
            throw values.refused(SHARES, "all weights are 0: give one of them more");
        return new Splitting(shares, values.of(BY));
    }

    private static PathRewrite rewrite(Values values) {
        return values.has(NEW_PREFIX)
                ? new PathRewrite.Prefix(values.of(NEW_PREFIX).text())
                : new PathRewrite.Template(values.of(NEW_PATH));
    }

    private static ActionSettings.Respond respond(Values values) {
        int status = values.of(STATUS).intValue();
        boolean mayHaveBody = status != 204 && status != 205 && status != 304;
        if (!mayHaveBody && values.has(BODY)) {
            throw values.refused(BODY, "a response with status " + status + " has no body: leave it out");
        }
        return new ActionSettings.Respond(status, values.of(BODY), values.of(TYPE), Headers.EMPTY);
    }

    static ActionSettings action(Values values, PathMatch match) {
        if (values.has(UPSTREAM)) return forward(values, values.of(UPSTREAM), match);
        if (values.has(SPLIT)) return split(values, values.of(SPLIT), match);
        if (values.has(REDIRECT)) return redirect(values, values.of(REDIRECT), match);
        if (values.has(RESPOND)) return values.of(RESPOND);
        return files(values, values.of(FILES), match);
    }

    private static ActionSettings.Forward forward(Values values, String upstream, PathMatch match) {
        var rewrite = values.optional(REWRITE);
        rewrite.ifPresent(wanted -> checkRewrite(values, wanted, match));
        var changes = values.of(HeaderKeys.REQUEST).with(value -> bound(values, HeaderKeys.REQUEST, value, match));
        return new ActionSettings.Forward(upstream, rewrite, changes, values.of(BODY_OF_REQUEST));
    }

    private static ActionSettings.Split split(Values values, Splitting splitting, PathMatch match) {
        var shares = splitting.shares.stream()
                .map(share -> new WeightedForward(forward(values, share.upstream, match), share.weight))
                .toList();
        return new ActionSettings.Split(shares, splitting.by);
    }

    private static void checkRewrite(Values values, PathRewrite rewrite, PathMatch match) {
        switch (rewrite) {
            case PathRewrite.Prefix _ -> {
                if (match instanceof PathMatch.Prefix) return;
                throw values.refused(
                        REWRITE, "the route matches no prefix that could be replaced: match one, or rewrite path");
            }
            case PathRewrite.Template template -> {
                for (var name : template.pattern().names()) {
                    if (!parameters(match).contains(name)) throw values.refused(REWRITE, unknown(name, match));
                }
                if (!endsAlike(template.pattern(), match)) {
                    throw values.refused(
                            REWRITE,
                            "the rest of a path cannot become a segment, nor a segment the rest: write"
                                    + " {name...} in both paths, or in none");
                }
            }
        }
    }

    /// The rest of a path may be empty, or have slashes: as a segment it would make a path that is not canonical.
    private static boolean endsAlike(PathPattern template, PathMatch match) {
        if (!(match instanceof PathMatch.Pattern pattern))
            return template.names().isEmpty();
        var from = pattern.pattern();
        return template.names().stream().allMatch(name -> isRest(template, name) == isRest(from, name));
    }

    private static boolean isRest(PathPattern pattern, String name) {
        return pattern.end() == PathPattern.End.REST
                && pattern.names().getLast().equals(name);
    }

    private static List<String> parameters(PathMatch match) {
        return match instanceof PathMatch.Pattern pattern ? pattern.pattern().names() : List.of();
    }

    private static String unknown(String name, PathMatch match) {
        return "the matched path has no parameter {" + name + "}: take one of " + parameters(match)
                + ", or add it there";
    }

    private static ActionSettings.Redirect redirect(Values values, ActionSettings.Redirect redirect, PathMatch match) {
        return new ActionSettings.Redirect(bound(values, REDIRECT, redirect.to(), match), redirect.status());
    }

    /// With the parameters of the matched path.
    static RequestTemplate bound(Values values, Key<?> key, RequestTemplate template, PathMatch match) {
        for (var name : parameters(match)) {
            if (!template.names(name) || template.parameters().contains(name)) continue;
            throw values.refused(
                    key,
                    "{" + name + "} is a value of every request, and the path has a parameter of this name: rename"
                            + " that");
        }
        try {
            return template.matching(
                    match instanceof PathMatch.Pattern pattern
                            ? pattern.pattern().text()
                            : "/");
        } catch (IllegalArgumentException e) {
            throw values.refused(key, String.valueOf(e.getMessage()));
        }
    }

    private static Choice<String> codings() {
        var words = new LinkedHashMap<String, String>();
        for (var coding : List.of("br", "zstd", "gzip")) words.put(coding, coding);
        return new Choice<>(words);
    }

    private static ActionSettings.Files files(Values values) {
        var files = StaticFiles.of(values.of(FOLDER))
                .listing(values.of(LISTING))
                .precompressed(values.optional(PRECOMPRESSED).orElse(List.of()));
        files = set(values, INDEX, files::index);
        if (values.has(TRY_FILES)) files = set(values, TRY_FILES, files::tryFiles);
        return new ActionSettings.Files(files);
    }

    private static <T> StaticFiles set(Values values, Key<T> key, Function<T, StaticFiles> setter) {
        try {
            return setter.apply(values.of(key));
        } catch (IllegalArgumentException e) {
            throw values.refused(key, String.valueOf(e.getMessage()));
        }
    }

    private static ActionSettings.Files files(Values values, ActionSettings.Files files, PathMatch match) {
        return switch (match) {
            case PathMatch.Any _ -> files;
            case PathMatch.Prefix prefix ->
                new ActionSettings.Files(files.handler().under(prefix.path().text()));
            case PathMatch.Pattern _ ->
                throw values.refused(FILES, "files need a prefix: match prefix instead of path");
        };
    }
}
