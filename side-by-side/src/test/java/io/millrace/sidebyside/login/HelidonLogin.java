package io.millrace.sidebyside.login;

import io.helidon.common.parameters.Parameters;
import io.helidon.http.SetCookie;
import io.helidon.http.Status;
import io.helidon.http.UnauthorizedException;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Helidon SE has no sessions: they are made here.
public final class HelidonLogin {
    private static final Map<String, String> PASSWORDS = Map.of("ada", "lovelace");
    private static final Duration IDLE = Duration.ofMinutes(30);
    private static final String COOKIE = "SESSION";

    private record Session(String user, Instant until) {}

    private final Map<String, Session> sessions = new ConcurrentHashMap<>();
    private final SecureRandom random = new SecureRandom();

    public static void main(String[] args) {
        var login = new HelidonLogin();
        var server = WebServer.builder()
                .port(Integer.parseInt(args[0]))
                .routing(routing -> routing.post("/login", login::login)
                        .get("/me", login::me)
                        .post("/logout", login::logout))
                .build()
                .start();
        System.out.println(server.port());
    }

    private void login(ServerRequest request, ServerResponse response) {
        var form = request.content().as(Parameters.class);
        var user = form.first("user").orElse("");
        var password = form.first("password").orElse("");
        if (!password.equals(PASSWORDS.get(user))) throw new UnauthorizedException("wrong password");
        removeExpired();
        var bytes = new byte[16];
        random.nextBytes(bytes);
        var id = HexFormat.of().formatHex(bytes);
        sessions.put(id, new Session(user, Instant.now().plus(IDLE)));
        response.headers()
                .addCookie(SetCookie.builder(COOKIE, id)
                        .path("/")
                        .httpOnly(true)
                        .sameSite(SetCookie.SameSite.LAX)
                        .build());
        response.status(Status.NO_CONTENT_204).send();
    }

    private void me(ServerRequest request, ServerResponse response) {
        var session = id(request)
                .map(id -> sessions.computeIfPresent(id, (_, found) -> isOver(found) ? null : used(found)))
                .orElseThrow(() -> new UnauthorizedException("nobody"));
        response.send(session.user());
    }

    private void logout(ServerRequest request, ServerResponse response) {
        id(request).ifPresent(sessions::remove);
        response.status(Status.NO_CONTENT_204).send();
    }

    private static Optional<String> id(ServerRequest request) {
        return request.headers().cookies().first(COOKIE).asOptional();
    }

    private void removeExpired() {
        sessions.values().removeIf(HelidonLogin::isOver);
    }

    private static boolean isOver(Session session) {
        return session.until().isBefore(Instant.now());
    }

    private static Session used(Session session) {
        return new Session(session.user(), Instant.now().plus(IDLE));
    }
}
