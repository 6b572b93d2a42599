package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.client.FormData;
import io.millrace.http.filter.Metrics;
import io.millrace.http.filter.PasswordHash;
import io.millrace.http.kit.HttpKit;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What docs/guide-http.md says of production, forms and uploads.
class ProductionTest {
    private final Production production = new Production();

    @TempDir
    private Path folder;

    @Test
    void a_route_is_seen_in_the_metrics() {
        var metrics = Metrics.of(production.readiness());
        var runs = new AtomicInteger();
        Simulation.forEachSeed(20, network -> {
            runs.incrementAndGet();
            var settings = Production.settings().listener(metrics.requests("web"));
            try (var _ = Http.listen(network.on(80), settings, production.app(folder));
                    var client = HttpKit.client(network)) {
                var response = client.send(Request.get("http://app/hello/ada"));
                assertEquals("hello, ada", response.text());
                assertEquals(
                        "nosniff", response.header("X-Content-Type-Options").orElse("none"));
            }
        });
        var text = metrics.text();
        assertTrue(text.contains("{listener=\"web\",route=\"/hello/{name}\",status=\"2xx\"} " + runs + "\n"), text);
        assertTrue(text.contains("\napp_ready 1\n"), text);
    }

    @Test
    void files_are_served_from_a_folder() throws Exception {
        Files.writeString(folder.resolve("a.txt"), "words");
        var app = HttpKit.asServed(production.app(folder));
        assertEquals("words", app.handle(Request.get("/static/a.txt")).text());
        assertEquals(404, app.handle(Request.get("/static/b.txt")).status());
    }

    @Test
    void the_operator_has_metrics_and_a_health_check() throws Exception {
        var admin = production.admin(Metrics.of());
        assertEquals(200, admin.handle(Request.get("/ready")).status());
        assertTrue(admin.handle(Request.get("/metrics")).text().contains("millrace_guard_acted_total"));
    }

    @Test
    void a_name_and_a_password_are_asked_for() throws Exception {
        var hash = PasswordHash.of("engine".toCharArray(), new SecureRandom()).text();
        var closed = Production.closed(hash, new WebApp());
        var password = Base64.getEncoder().encodeToString("ada:engine".getBytes(StandardCharsets.UTF_8));
        assertEquals(401, closed.handle(Request.get("/")).status());
        var right = Request.get("/").setHeader("Authorization", "Basic " + password);
        assertEquals("Hello, World!", closed.handle(right).text());
    }

    @Test
    void a_form_sets_a_cookie() throws Exception {
        var chosen = Request.post("/theme", Bytes.utf8("theme=dark"))
                .setHeader("Content-Type", "application/x-www-form-urlencoded");
        var cookie = Photos.routes().handle(chosen).header("Set-Cookie").orElseThrow();
        assertTrue(cookie.startsWith("theme=dark; "), cookie);
        var next = Request.get("/theme").setHeader("Cookie", "theme=dark");
        assertEquals("dark", Photos.routes().handle(next).text());
    }

    @Test
    void a_file_is_uploaded_whole_or_as_it_arrives() throws Exception {
        var photo = Files.write(folder.resolve("photo.jpg"), new byte[1000]);
        Simulation.forEachSeed(20, network -> {
            try (var _ = Http.listen(network.on(80), HttpSettings.standard(), Photos.routes());
                    var client = HttpKit.client(network)) {
                for (var path : new String[] {"/avatar", "/album"}) {
                    var form = FormData.of().file("photo", photo);
                    assertEquals(
                            "1000 bytes",
                            client.send(form.post("http://app" + path)).text());
                }
            }
        });
    }
}
