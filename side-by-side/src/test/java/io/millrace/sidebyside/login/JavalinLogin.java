package io.millrace.sidebyside.login;

import io.javalin.Javalin;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.javalin.http.UnauthorizedResponse;
import java.time.Duration;
import java.util.Map;
import org.eclipse.jetty.ee10.servlet.SessionHandler;
import org.eclipse.jetty.http.HttpCookie;

public final class JavalinLogin {
    private static final Map<String, String> PASSWORDS = Map.of("ada", "lovelace");

    public static void main(String[] args) {
        var app = Javalin.create(config -> {
                    config.jetty.modifyServletContextHandler(handler -> handler.setSessionHandler(sessions()));
                    config.routes.post("/login", JavalinLogin::login);
                    config.routes.get("/me", JavalinLogin::me);
                    config.routes.post("/logout", JavalinLogin::logout);
                })
                .start(Integer.parseInt(args[0]));
        System.out.println(app.port());
    }

    private static SessionHandler sessions() {
        var sessions = new SessionHandler();
        sessions.setHttpOnly(true);
        sessions.setSameSite(HttpCookie.SameSite.LAX);
        sessions.setMaxInactiveInterval((int) Duration.ofMinutes(30).toSeconds());
        return sessions;
    }

    private static void login(Context ctx) {
        var user = ctx.formParamAsClass("user", String.class).getOrDefault("");
        var password = ctx.formParamAsClass("password", String.class).getOrDefault("");
        if (!password.equals(PASSWORDS.get(user))) throw new UnauthorizedResponse();
        ctx.req().getSession();
        ctx.req().changeSessionId();
        ctx.sessionAttribute("user", user);
        ctx.status(HttpStatus.NO_CONTENT);
    }

    private static void me(Context ctx) {
        String user = ctx.sessionAttribute("user");
        if (user == null) throw new UnauthorizedResponse();
        ctx.result(user);
    }

    private static void logout(Context ctx) {
        ctx.req().getSession().invalidate();
        ctx.status(HttpStatus.NO_CONTENT);
    }
}
