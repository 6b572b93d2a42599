package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Listen;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSender;
import io.millrace.http.Multipart;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WeatherTest {
    @TempDir
    private Path folder;

    @Test
    void a_city_that_the_server_knows_has_weather() throws IOException {
        HttpSender server = request -> request.parameter("city").orElse("").equals("São Paulo")
                ? Response.ok("21 degrees")
                : Response.status(404);
        var weather = new Weather(server, "http://weather.test");
        assertEquals("21 degrees", weather.in("São Paulo"));
        assertEquals("unknown", weather.in("Atlantis"));
        assertEquals("21 degrees", weather.soon("São Paulo").join().text());
    }

    @Test
    void a_report_and_a_renewed_token_reach_a_server() throws IOException {
        var photo = Files.writeString(folder.resolve("sky.png"), "blue");
        HttpHandler app = Http.whole(1 << 20, request -> {
            if (!request.header("Authorization").orElse("").endsWith("new")) return Response.status(401);
            boolean hasPhoto = request.method().equals("POST")
                    && Multipart.of(request).first("photo").isPresent();
            return Response.status(hasPhoto ? 201 : 200);
        });
        try (var server = Http.listen(Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), app)) {
            var uri = "http://127.0.0.1:" + server.port();
            assertEquals(
                    200, asked("old", client -> client.send(Request.get(uri)).status()));
            assertEquals(201, asked("new", client -> new Weather(client, uri).report("sky", photo)));
        }
        assertTrue(Weather.fromTheOffice("secret").proxy().isPresent());
    }

    private interface Asking {
        int ask(HttpClient client) throws IOException;
    }

    private static int asked(String token, Asking asking) throws IOException {
        var settings = ClientSettings.standard().filter(Weather.signedIn(() -> token, () -> "new"));
        try (var client = HttpClient.of(settings)) {
            return asking.ask(client);
        }
    }
}
