package io.millrace.examples;

import io.millrace.Listen;
import io.millrace.bytes.Bytes;
import io.millrace.http.Form;
import io.millrace.http.HttpError;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.PathParameters;
import io.millrace.http.Request;
import io.millrace.http.RequestListener;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.filter.Cors;
import io.millrace.http.filter.HttpSession;
import io.millrace.http.filter.MemorySessions;
import io.millrace.http.filter.RequestIds;
import io.millrace.http.filter.Sessions;
import io.millrace.http.server.Http;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Logged-in users see the pages of their teams: `java … Teams 8080 KEY`, with a key of 32 characters or more.
public final class Teams {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    public static void main(String[] args) throws InterruptedException {
        var members = new Teams();
        var settings = HttpSettings.standard().listener(members.counting());
        Http.serve(Listen.on(Integer.parseInt(args[0])), settings, members.app(Bytes.utf8(args[1])))
                .await();
    }

    HttpHandler app(Bytes key) {
        HttpFilter members = next -> request -> isMember(request) ? next.handle(request) : Response.redirect("/login");
        var teams = Routes.of()
                .get(
                        "/",
                        request ->
                                Response.ok("team " + PathParameters.of(request).text("team")))
                .get("/rooms/{id}", (_, path) -> Response.ok(path.text("team") + ", room " + path.number("id")));
        var sessions = Sessions.in(MemorySessions.standard(), key).idle(Duration.ofMinutes(20));
        return Routes.of()
                .get("/login", _ -> Response.html("<form method=post><input name=user><input type=submit></form>"))
                .post("/login", Teams::login)
                .post("/logout", Teams::logout)
                .mount("/teams/{team}", teams.filter(members))
                .filter(
                        RequestIds.standard(),
                        Cors.allow("https://app.example.org")
                                .methods("GET", "PUT")
                                .credentials(true),
                        sessions);
    }

    private static boolean isMember(Request request) {
        return HttpSession.of(request).get("user").isPresent();
    }

    private static Response login(Request request) {
        var user = Form.of(request).first("user").orElseThrow(() -> new HttpError(400, "no user"));
        var session = HttpSession.of(request);
        session.renew();
        session.set("user", user);
        return Response.redirect("/teams/1");
    }

    private static Response logout(Request request) {
        HttpSession.of(request).end();
        return Response.redirect("/login");
    }

    /// By route, whose number is limited.
    RequestListener counting() {
        return served -> counts.computeIfAbsent(served.route().orElse("none"), _ -> new LongAdder())
                .increment();
    }

    long count(String route) {
        return counts.getOrDefault(route, new LongAdder()).sum();
    }
}
