package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TeamsTest {
    private final Teams teams = new Teams();
    private final HttpHandler app = teams.app(Bytes.utf8("k".repeat(32)));

    @Test
    void who_is_logged_in_sees_his_teams_until_he_logs_out() throws Exception {
        assertEquals(Optional.of("/login"), app.handle(Request.get("/teams/7")).header("Location"));
        var login = app.handle(Request.post("/login", Bytes.utf8("user=ann"))
                .setHeader("Content-Type", "application/x-www-form-urlencoded"));
        var cookie = login.header("Set-Cookie").orElseThrow().replaceAll(";.*", "");
        assertEquals("team 7", app.handle(as(cookie, "/teams/7")).text());
        assertEquals("7, room 3", app.handle(as(cookie, "/teams/7/rooms/3")).text());
        var logout = app.handle(Request.post("/logout", Bytes.EMPTY).setHeader("Cookie", cookie));
        assertTrue(logout.header("Set-Cookie").orElseThrow().contains("Max-Age=0"));
        assertEquals(302, app.handle(as(cookie, "/teams/7")).status());
    }

    private static Request as(String cookie, String path) {
        return Request.get(path).setHeader("Cookie", cookie);
    }

    @Test
    void requests_are_counted_by_their_route() {
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), HttpSettings.standard().listener(teams.counting()), app)) {
            for (var path : new String[] {"/login", "/teams/7", "/teams/8", "/unknown"}) {
                var _ = network.connect(80).send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
                network.run();
            }
        }
        assertEquals(2, teams.count("/teams/{team}"));
        assertEquals(1, teams.count("/login"));
        assertEquals(1, teams.count("none"));
    }
}
