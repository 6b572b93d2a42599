package io.millrace.acme;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Response;
import io.millrace.http.acme.AcmeChallenges;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.http.filter.Metrics;
import io.millrace.http.server.Http;
import io.millrace.testing.Pebble;
import io.millrace.testing.Waiting;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;

/// A real authority, and the servers that prove to it whose the names are.
final class Proving implements AutoCloseable {
    final EventLoops loops = EventLoops.configure().threads(1).start();
    final AcmeChallenges challenges = new AcmeChallenges();
    final Server plain;
    final Server secure;
    final Pebble pebble;
    private final Path folder;

    Proving(Path folder) throws IOException {
        this.folder = folder;
        plain = Http.listen(free(), challenges.around(_ -> Response.status(404)));
        var tls = Tls.server(TlsIdentity.selfSigned("other.test")).speaking("http/1.1");
        secure = Http.listen(free().through(tls.proving(challenges)), _ -> Response.status(404));
        pebble = Pebble.start(folder, plain.port(), secure.port(), ", \"domainBlocklist\": [\"blocked.test\"]");
    }

    private Listen free() {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    AcmeSettings settings(String... names) {
        return AcmeSettings.of(folder.resolve("acme"), names)
                .directory(URI.create(pebble.directory()))
                .contact("ops@example.test")
                .authorities(TlsIdentity.certificates(pebble.authorities()));
    }

    Keeper keeper(InstantSource clock) {
        return new Keeper(loops.next(), challenges, new AcmeAuthority(challenges), clock, () -> 0.5);
    }

    TlsIdentity issued(AcmeSettings settings) {
        try (var keeper = keeper(InstantSource.system())) {
            keeper.keep(List.of(settings));
            until(() -> settings.identity().isPresent() || metrics(keeper).contains("result=\"failed\"} 1"));
            return settings.identity().orElseThrow();
        }
    }

    /// Has another one issued, by a keeper with this clock.
    TlsIdentity renewed(AcmeSettings settings, InstantSource clock) {
        var old = settings.identity().orElseThrow();
        try (var keeper = keeper(clock)) {
            keeper.keep(List.of(settings));
            until(() -> !settings.identity().orElseThrow().equals(old));
        }
        return settings.identity().orElseThrow();
    }

    static String metrics(Keeper keeper) {
        return Metrics.of(keeper).text();
    }

    /// When the keeper looks at its only certificate next.
    static Instant nextLook(Keeper keeper) {
        var name = "millrace_acme_next_look_timestamp_seconds{";
        return metrics(keeper)
                .lines()
                .filter(line -> line.startsWith(name))
                .map(line -> Instant.ofEpochSecond(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))))
                .findFirst()
                .orElse(Instant.EPOCH);
    }

    static void until(BooleanSupplier isTrue) {
        while (!isTrue.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) throw new AssertionError("interrupted while waiting");
            Waiting.briefly();
        }
    }

    @Override
    public void close() {
        pebble.close();
        plain.close();
        secure.close();
        loops.close();
    }
}
