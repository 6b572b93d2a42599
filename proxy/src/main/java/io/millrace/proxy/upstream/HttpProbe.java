package io.millrace.proxy.upstream;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.bytes.Bytes;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.exchange.ClientTimeouts;
import io.millrace.http.grammar.Grpc;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.pool.CallLimits;
import io.millrace.http.pool.ClientPools;
import io.millrace.http.pool.PoolSettings;
import io.millrace.proxy.backend.Health;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/// Checks that `GET` of a path gets an expected status, or that a service of gRPC is serving, on a new connection. The
/// whole response has to arrive, with at most 64 KiB of body.
final class HttpProbe implements Probe {
    /// A valid time that is so short that no connection is reused.
    private static final Duration HARDLY = Duration.ofNanos(1);

    private static final HttpLimits LIMITS =
            HttpLimits.standard().bodyBytes(64 << 10).idleTimeout(HARDLY);

    private static final List<String> STATUSES = List.of("UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN");

    private static final int SERVING = 1;

    private final Health health;
    private final Request request;
    private final ClientPools pools;

    /// @param version negotiated only if `connect` speaks TLS, which offers it
    /// @param loops including the checks' own, whose connections then are on it
    HttpProbe(
            SocketAddress address,
            Health health,
            HttpVersion version,
            EventLoops loops,
            Function<SocketAddress, Connect> connect) {
        this.health = health;
        this.request = request("http://" + host(address, health), health)
                .addHeader("User-Agent", "millrace-health")
                .timeout(health.timeout());
        this.pools = new ClientPools(new PoolSettings(
                Optional.of(loops),
                false,
                (_, _) -> connect.apply(address),
                LIMITS,
                health.timeout(),
                new ClientTimeouts(0, 0),
                new CallLimits(0, 0, 0),
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                _ -> version,
                _ -> Optional.empty(),
                Optional.empty()));
    }

    private static Request request(String server, Health health) {
        if (health.check() == Health.Check.HTTP) return Request.get(server + health.path());
        return Request.post(server + "/grpc.health.v1.Health/Check", question(health.path()))
                .addHeader("Content-Type", Grpc.MEDIA_TYPE)
                .addHeader("TE", "trailers");
    }

    /// A message of gRPC: a byte for no compression, its length in four, and a `HealthCheckRequest`, whose first field
    /// is the name of the service.
    private static Bytes question(String service) {
        var name = Syntax.latin1(service);
        var message = ByteBuffer.allocate(5 + 4 + name.length);
        message.position(5);
        if (name.length > 0) message.put((byte) 0x0a).put(length(name.length)).put(name);
        int length = message.position() - 5;
        message.putInt(1, length);
        return Bytes.of(Arrays.copyOf(message.array(), 5 + length));
    }

    /// In groups of seven bits, the lowest ones first.
    private static byte[] length(int length) {
        return length < 0x80 ? new byte[] {(byte) length} : new byte[] {(byte) (length | 0x80), (byte) (length >>> 7)};
    }

    /// A `HealthCheckResponse` has one field, its status.
    private static Finding called(Response response) {
        var outcome = response.trailers().first(Grpc.STATUS).or(() -> response.header(Grpc.STATUS));
        if (response.status() != 200 || outcome.isEmpty())
            return new Finding(false, "answered with status " + response.status() + ", and without a status of gRPC");
        if (!outcome.get().equals("0")) return new Finding(false, "answered with status " + outcome.get() + " of gRPC");
        var message = response.body();
        int status = message.length() == 7 && message.at(5) == 0x08 ? message.at(6) : 0;
        return new Finding(status == SERVING, "answered that it is " + name(status));
    }

    private static String name(int status) {
        return status >= 0 && status < STATUSES.size() ? STATUSES.get(status) : "status " + status;
    }

    private static String host(SocketAddress address, Health health) {
        return health.host().isEmpty() ? Backend.authority(address) : health.host();
    }

    @Override
    public CompletionStage<Finding> ask() {
        return pools.call(request, List.of(), pools.whole(request)).begin().thenApply(this::finding);
    }

    private Finding finding(Response response) {
        if (health.check() == Health.Check.GRPC) return called(response);
        return new Finding(health.isExpected(response.status()), "answered with status " + response.status());
    }

    @Override
    public void close() {
        pools.close();
    }
}
