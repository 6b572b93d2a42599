package io.millrace.examples;

import io.millrace.http.ClientFilter;
import io.millrace.http.HttpSender;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.CookieJar;
import io.millrace.http.client.FormData;
import io.millrace.http.client.ForwardProxy;
import io.millrace.http.client.HttpClient;
import io.millrace.http.client.RetryFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// A client with all that a remote server needs: `java … Weather http://localhost:8080 Paris`.
public final class Weather {
    private final HttpSender server;
    private final String uri;

    public Weather(HttpSender server, String uri) {
        this.server = server;
        this.uri = uri;
    }

    public static void main(String[] args) throws IOException {
        var settings = ClientSettings.standard()
                .timeout(Duration.ofSeconds(5))
                .redirects(5)
                .defaultHeader("User-Agent", "weather/1.0")
                .filter(RetryFilter.standard().attempts(4))
                .cookies(CookieJar.create());
        try (var client = HttpClient.of(settings)) {
            System.out.println(new Weather(client, args[0]).in(args[1]));
        }
    }

    public String in(String city) throws IOException {
        var response = server.send(Request.get(uri + "/weather").addParameter("city", city));
        return response.status() == 200 ? response.text() : "unknown";
    }

    public CompletableFuture<Response> soon(String city) {
        var answer = server.sendAsync(Request.get(uri + "/weather").addParameter("city", city));
        return answer.orTimeout(2, TimeUnit.SECONDS);
    }

    public int report(String title, Path photo) throws IOException {
        var form = FormData.of().field("title", title).file("photo", photo);
        return server.send(form.post(uri + "/reports")).status();
    }

    /// A filter that renews a token when the server rejects it.
    public static ClientFilter signedIn(Supplier<String> token, Supplier<String> renewed) {
        return new ClientFilter() {
            @Override
            public CompletionStage<Response> send(Request request, Rest next) {
                return next.send(with(token.get(), request))
                        .thenCompose(response -> response.status() == 401
                                ? next.send(with(renewed.get(), request))
                                : CompletableFuture.completedStage(response));
            }

            private Request with(String secret, Request request) {
                return request.setHeader("Authorization", "Bearer " + secret);
            }
        };
    }

    public static ClientSettings fromTheOffice(String password) {
        var proxy = ForwardProxy.at("proxy.internal", 3128)
                .credentials("weather", password)
                .except("localhost", "internal");
        return ClientSettings.standard().proxy(proxy);
    }
}
