package io.millrace.proxy.upstream;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.proxy.backend.Health;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/// Checks that `GET` of a path gets an expected status, on a new connection. The whole response has to
/// arrive, with at most 64 KiB of body.
final class HttpProbe implements Probe {
    /// A valid time that is so short that no connection is reused.
    private static final Duration HARDLY = Duration.ofNanos(1);

    private static final HttpLimits LIMITS =
            HttpLimits.standard().bodyBytes(64 << 10).idleTimeout(HARDLY);

    private final Health health;
    private final Request request;
    private final HttpClient client;

    /// @param loops including the checks' own, whose connections then are on it
    HttpProbe(
            SocketAddress address,
            Health health,
            HttpVersion version,
            EventLoops loops,
            Function<SocketAddress, Connect> connect) {
        this.health = health;
        this.request = Request.get("http://" + host(address, health) + health.path())
                .addHeader("User-Agent", "millrace-health")
                .timeout(health.timeout());
        this.client = HttpClient.of(ClientSettings.standard()
                .loops(loops)
                .version(version)
                .connect(_ -> connect.apply(address))
                .connectTimeout(health.timeout())
                .limits(LIMITS));
    }

    private static String host(SocketAddress address, Health health) {
        return health.host().isEmpty() ? Backend.authority(address) : health.host();
    }

    @Override
    public CompletionStage<Finding> ask() {
        return client.sendAsync(request).thenApply(this::finding);
    }

    private Finding finding(Response response) {
        return new Finding(health.isExpected(response.status()), "answered with status " + response.status());
    }

    @Override
    public void close() {
        client.close();
    }
}
