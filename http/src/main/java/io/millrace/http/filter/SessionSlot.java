package io.millrace.http.filter;

import io.millrace.http.Request;
import io.millrace.http.Response;
import org.jspecify.annotations.Nullable;

/// Holds the session of a request, once a handler has asked for it.
final class SessionSlot {
    private final Sessions rules;
    private final Request request;
    private @Nullable HttpSession session;

    /// The response has begun.
    private boolean isOver;

    SessionSlot(Sessions rules, Request request) {
        this.rules = rules;
        this.request = request;
    }

    HttpSession open() {
        var mine = session;
        if (mine != null) return mine;
        session = mine = new HttpSession(rules, SessionCookie.of(request, rules));
        if (isOver) mine.over();
        return mine;
    }

    Response finish(Response response) {
        isOver = true;
        return session == null ? response : session.finish(response);
    }
}
