package io.millrace.sidebyside.login;

import io.millrace.bytes.Bytes;
import io.millrace.http.Form;
import io.millrace.http.HttpError;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.filter.HttpSession;
import io.millrace.http.filter.MemorySessions;
import io.millrace.http.filter.Sessions;
import io.millrace.http.server.Http;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;

public final class MillraceLogin {
    private static final Map<String, String> PASSWORDS = Map.of("ada", "lovelace");

    public static void main(String[] args) throws InterruptedException {
        var key = new byte[32];
        new SecureRandom().nextBytes(key);
        var sessions = Sessions.in(MemorySessions.standard(), Bytes.of(key)).idle(Duration.ofMinutes(30));
        var app = Routes.of()
                .post("/login", MillraceLogin::login)
                .get("/me", MillraceLogin::me)
                .post("/logout", MillraceLogin::logout);
        var server = Http.serve(Integer.parseInt(args[0]), app.filter(sessions));
        System.out.println(server.port());
        server.await();
    }

    private static Response login(Request request) {
        var form = Form.of(request);
        var user = form.first("user").orElse("");
        var password = form.first("password").orElse("");
        if (!password.equals(PASSWORDS.get(user))) throw new HttpError(401, "wrong password of " + user);
        var session = HttpSession.of(request);
        session.renew();
        session.set("user", user);
        return Response.status(204);
    }

    private static Response me(Request request) {
        var user = HttpSession.of(request).get("user").orElseThrow(() -> new HttpError(401, "nobody"));
        return Response.ok(user);
    }

    private static Response logout(Request request) {
        HttpSession.of(request).end();
        return Response.status(204);
    }
}
