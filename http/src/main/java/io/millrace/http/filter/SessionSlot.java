package io.millrace.http.filter;

import io.millrace.http.Request;
import io.millrace.http.Response;
import org.jspecify.annotations.Nullable;

/// Where the session of a request is, once somebody has asked for it.
final class SessionSlot {
    private final Sessions rules;
    private final Request request;
    private @Nullable HttpSession session;

    SessionSlot(Sessions rules, Request request) {
        this.rules = rules;
        this.request = request;
    }

    HttpSession open() {
        var mine = session;
        if (mine == null) session = mine = new HttpSession(rules, SessionCookie.of(request, rules));
        return mine;
    }

    Response finish(Response response) {
        return session == null ? response : session.finish(response);
    }
}
