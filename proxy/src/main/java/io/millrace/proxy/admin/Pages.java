package io.millrace.proxy.admin;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpError;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.server.Http;
import io.millrace.proxy.admin.Sampler.History;
import io.millrace.proxy.admin.Watched.ServingProxy;
import io.millrace.proxy.announce.ProxyEvents;
import io.millrace.proxy.upstream.Repeating;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/// The page, its data, and its changes.
///
/// ```
///   /                     the page, and its files: /admin.css, /admin.js, …
///   /api/state            one sample, JSON         /api/history    five minutes of moments, JSON
///   /api/events           server-sent events: history, then a state each second
///   /api/proxy            version, process, listeners and certificates, JSON
///   /api/routes           a part of the routes, JSON: ?find=TEXT&from=0&count=100
///   /api/journal          the last events, JSON       /api/token   whether the token is right
///   POST /api/backend     a form: upstream, backend, state=in|out
///   POST /api/reload      POST /api/logs
/// ```
/// A sample is taken each second, even if no page is open, so that a new page has a history.
public final class Pages implements AutoCloseable {
    private static final Duration EACH = Duration.ofSeconds(1);
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            + " require-trusted-types-for 'script'; trusted-types 'none'";
    private static final String NO_PAGE =
            "default-src 'none'; base-uri 'none'; form-action 'none';" + " frame-ancestors 'none'; sandbox";
    private static final String FEATURES = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

    /// No browser guesses another type for a response, runs anything that is in one, keeps it, or lets another site
    /// embed it.
    private static final HttpFilter HARDENED =
            next -> request -> next.handle(request).map(Pages::hardened);

    private static Response hardened(Response response) {
        var all = response.setHeader("X-Content-Type-Options", "nosniff")
                .setHeader("X-Frame-Options", "DENY")
                .setHeader("Cross-Origin-Resource-Policy", "same-origin")
                .setHeader("Cross-Origin-Opener-Policy", "same-origin")
                .setHeader("Permissions-Policy", FEATURES)
                .setHeader("Referrer-Policy", "no-referrer");
        if (response.headers().first("Content-Security-Policy").isPresent()) return all;
        return all.setHeader("Content-Security-Policy", NO_PAGE).setHeader("Cache-Control", "no-store");
    }

    /// The changes that the page can make.
    public enum AdminChange {
        /// Disable or enable a backend.
        BACKENDS("asked for another state of a backend"),
        /// Reload the configuration.
        RELOAD("asked to reload the configuration"),
        /// Reopen the logs.
        LOGS("asked to reopen the logs");

        /// For the events.
        final String asked;

        AdminChange(String asked) {
            this.asked = asked;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// The most bytes of a form with three fields.
    private static final long MOST_FORM_BYTES = 16 << 10;

    private final Sampler sampler;
    private final Changes changes;
    private final Visitors visitors;
    private final Readiness readiness;
    private final Watchers watchers = new Watchers(this::history, this::state);
    private final History history = new History();
    private final long startMillis = System.currentTimeMillis();
    private final Repeating sampling;
    private volatile Supplier<ServingProxy> serving = () -> ServingProxy.NOTHING;
    private volatile String state;

    private Pages(Watched watched, Visitors visitors) {
        this.sampler = new Sampler(watched);
        this.changes = new Changes(watched, System::nanoTime);
        this.visitors = visitors;
        this.readiness = new Readiness(watched);
        this.state = sample();
        this.sampling = Repeating.start("millrace-admin", () -> {
            state = sample();
            watchers.tell(state);
            return EACH;
        });
    }

    /// Begins to sample.
    ///
    /// @param isLocal whether only this machine can connect
    /// @param name the host as configured; may be empty
    public static Pages of(Watched watched, Optional<String> token, boolean isLocal, String name) {
        return new Pages(watched, new Visitors(token, isLocal, name));
    }

    /// Adds a change that is possible; at any time.
    ///
    /// @param how runs on a thread that may block; returns a text for the user, or throws the reason for a
    /// failure
    public void add(AdminChange change, Callable<String> how) {
        changes.add(change, how);
    }

    /// What it shows of a configuration, from now on.
    public void shows(Supplier<ServingProxy> served) {
        serving = served;
    }

    private String sample() {
        var sample = sampler.take(System.nanoTime(), System.currentTimeMillis());
        history.add(sample.moment());
        ProxyEvents.ofProcess().lookAtGuards();
        return AdminJson.of(
                sample,
                startMillis,
                serving.get().number(),
                ProxyEvents.ofProcess().changes(),
                visitors.haveToken() ? changes.all() : Set.of());
    }

    /// Of the routes that have the text `find`, `count` ones beginning with number `from`.
    private Response routes(Request request) {
        var find = request.parameter("find").orElse("").strip().toLowerCase(Locale.ROOT);
        int from = number(request, "from", 0);
        int count = Math.min(AdminJson.MOST, number(request, "count", AdminJson.MOST));
        return Response.jsonText(AdminJson.routes(serving.get(), find, from, count));
    }

    private static int number(Request request, String name, int otherwise) {
        var text = request.parameter(name).orElse(Integer.toString(otherwise));
        if (!text.matches("[0-9]{1,9}")) throw new HttpError(400, name + " is no whole number: 0, or digits");
        return Integer.parseInt(text);
    }

    private String state() {
        return state;
    }

    private String history() {
        return AdminJson.of(history.all());
    }

    private static String journal() {
        return AdminJson.journal(ProxyEvents.ofProcess().all());
    }

    /// All of it, with the other handlers at the same address.
    public HttpHandler handler(Routes others) {
        var pages = others.get("/", page(Assets.file("admin.html", "text/html; charset=utf-8")))
                .get("/admin.css", page(Assets.file("admin.css", "text/css; charset=utf-8")))
                .get("/admin.js", page(Assets.file("admin.js", SCRIPT)))
                .get("/charts.js", page(Assets.file("charts.js", SCRIPT)))
                .get("/tables.js", page(Assets.file("tables.js", SCRIPT)))
                .get("/formats.js", page(Assets.file("formats.js", SCRIPT)))
                .get("/serving.js", page(Assets.file("serving.js", SCRIPT)))
                .get("/asking.js", page(Assets.file("asking.js", SCRIPT)))
                .get("/admin.svg", page(Assets.file("admin.svg", "image/svg+xml")))
                .get("/api/state", visitors.reading(_ -> Response.jsonText(state)))
                .get("/api/history", visitors.reading(_ -> Response.jsonText(history())))
                .get("/api/events", visitors.reading(watchers::answer))
                .get(
                        "/api/proxy",
                        visitors.reading(_ -> Response.jsonText(AdminJson.proxy(serving.get(), startMillis))))
                .get("/api/routes", visitors.reading(this::routes))
                .get("/api/journal", visitors.reading(_ -> Response.jsonText(journal())))
                .get("/api/token", visitors.changing(_ -> Texts.answer(200, "The token is right.\n")))
                .get("/healthz", _ -> Response.ok("ok\n"))
                .get("/ready", _ -> readiness.answer())
                .post("/api/backend", visitors.changing(Http.whole(MOST_FORM_BYTES, changes::backend)))
                .post("/api/reload", visitors.changing(request -> changes.other(AdminChange.RELOAD, request)))
                .post("/api/logs", visitors.changing(request -> changes.other(AdminChange.LOGS, request)));
        return HARDENED.around(visitors.named(pages));
    }

    private static HttpHandler page(Response response) {
        var page = response.addHeader("Content-Security-Policy", POLICY).setHeader("Cache-Control", "no-cache");
        return _ -> page;
    }

    @Override
    public void close() {
        readiness.end();
        sampling.close();
        watchers.close();
    }

    /// Whether new requests should come here, for the load balancer in front. Liveness is another question,
    /// and so is the health of backends, which other proxies share. Any thread.
    static final class Readiness {
        private static final Response READY = Response.ok("ready\n");

        private final Watched watched;
        private volatile boolean isEnding;

        Readiness(Watched watched) {
            this.watched = watched;
        }

        /// The process accepts no new requests.
        void end() {
            isEnding = true;
        }

        /// 200, or 503 with the reason.
        Response answer() {
            return obstacle()
                    .map(why -> Texts.answer(503, "not ready: " + why + "\n"))
                    .orElse(READY);
        }

        private Optional<String> obstacle() {
            if (isEnding) return Optional.of("this process is ending");
            return watched.upstreams().stream()
                    .filter(group -> group.backends().stream().anyMatch(backends -> !backends.hasList()))
                    .findFirst()
                    .map(group -> "the upstream " + group.name() + " does not know its backends yet");
        }
    }

    /// The files of the page.
    static final class Assets {
        private Assets() {}

        /// @throws IllegalStateException if the file is not part of this build
        static Response file(String name, String mediaType) {
            try (var file = Assets.class.getResourceAsStream(name)) {
                if (file == null) throw new IllegalStateException(name + " is not part of this build");
                return Response.ok(Bytes.of(file.readAllBytes()), mediaType);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /// Responses in plain text.
    static final class Texts {
        private Texts() {}

        static Response answer(int status, String text) {
            return BuiltResponse.of(status, new Body.Whole(Bytes.utf8(text))).type("text/plain; charset=utf-8");
        }
    }
}
