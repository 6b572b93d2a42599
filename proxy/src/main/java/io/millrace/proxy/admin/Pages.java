package io.millrace.proxy.admin;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.server.Http;
import io.millrace.proxy.admin.Sampler.History;
import io.millrace.proxy.upstream.Repeating;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

/// The page, its data, and its changes.
///
/// ```
///   /                     the page, and its files: /admin.css, /admin.js, …
///   /api/state            one sample, JSON         /api/history    five minutes of moments, JSON
///   /api/events           server-sent events: history, then a state each second
///   POST /api/backend     a form: upstream, backend, state=in|out
///   POST /api/reload      POST /api/logs
/// ```
/// A sample is taken each second, even if no page is open, so that a new page has a history.
public final class Pages implements AutoCloseable {
    private static final Duration EACH = Duration.ofSeconds(1);
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    /// No browser guesses another type for a response, and no other site can embed it.
    private static final HttpFilter HARDENED = next -> request -> next.handle(request)
            .map(response -> response.addHeader("X-Content-Type-Options", "nosniff")
                    .addHeader("Cross-Origin-Resource-Policy", "same-origin")
                    .addHeader("Referrer-Policy", "no-referrer"));

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

    private String sample() {
        var sample = sampler.take(System.nanoTime(), System.currentTimeMillis());
        history.add(sample.moment());
        return AdminJson.of(sample, startMillis, visitors.haveToken() ? changes.all() : Set.of());
    }

    private String state() {
        return state;
    }

    private String history() {
        return AdminJson.of(history.all());
    }

    /// All of it, with the other handlers at the same address.
    public HttpHandler handler(Routes others) {
        var pages = others.get("/", page(Assets.file("admin.html", "text/html; charset=utf-8")))
                .get("/admin.css", page(Assets.file("admin.css", "text/css; charset=utf-8")))
                .get("/admin.js", page(Assets.file("admin.js", SCRIPT)))
                .get("/charts.js", page(Assets.file("charts.js", SCRIPT)))
                .get("/tables.js", page(Assets.file("tables.js", SCRIPT)))
                .get("/formats.js", page(Assets.file("formats.js", SCRIPT)))
                .get("/admin.svg", page(Assets.file("admin.svg", "image/svg+xml")))
                .get("/api/state", visitors.reading(_ -> Response.jsonText(state)))
                .get("/api/history", visitors.reading(_ -> Response.jsonText(history())))
                .get("/api/events", visitors.reading(watchers::answer))
                .get("/api/token", visitors.changing(_ -> Texts.answer(200, "The token is right.\n")))
                .get("/healthz", _ -> Response.ok("ok\n"))
                .get("/ready", _ -> readiness.answer())
                .post("/api/backend", visitors.changing(Http.whole(MOST_FORM_BYTES, changes::backend)))
                .post("/api/reload", visitors.changing(_ -> changes.other(AdminChange.RELOAD)))
                .post("/api/logs", visitors.changing(_ -> changes.other(AdminChange.LOGS)));
        return visitors.named(pages.filter(HARDENED));
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
