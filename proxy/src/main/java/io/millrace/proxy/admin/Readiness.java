package io.millrace.proxy.admin;

import io.millrace.http.Response;
import io.millrace.proxy.admin.Pages.Texts;
import java.util.Optional;

/// Whether new requests should come here, for the load balancer in front. Liveness is another question,
/// and so is the health of backends, which other proxies share. Any thread.
final class Readiness {
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
