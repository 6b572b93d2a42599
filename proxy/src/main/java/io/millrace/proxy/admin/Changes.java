package io.millrace.proxy.admin;

import io.millrace.http.Form;
import io.millrace.http.HttpError;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import io.millrace.proxy.admin.Pages.AdminChange;
import io.millrace.proxy.admin.Pages.Texts;
import io.millrace.proxy.announce.ProxyEvents;
import io.millrace.proxy.announce.ProxyEvents.EventKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// The changes that users with the token can make. Any thread.
final class Changes {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");

    private final Watched watched;
    private final LongSupplier nanoClock;
    private final Map<AdminChange, Callable<String>> others = new ConcurrentHashMap<>();

    Changes(Watched watched, LongSupplier nanoClock) {
        this.watched = watched;
        this.nanoClock = nanoClock;
    }

    /// @param how runs on a thread that may block; returns a text for the user, or throws the reason for a
    /// failure
    void add(AdminChange change, Callable<String> how) {
        others.put(change, how);
    }

    Set<AdminChange> all() {
        var all = EnumSet.of(AdminChange.BACKENDS);
        all.addAll(others.keySet());
        return all;
    }

    /// A form with `upstream`, `backend` and `state`, which is `in` or `out`.
    Response backend(Request request) {
        var form = Form.of(request);
        var upstream = field(form, "upstream");
        var backend = field(form, "backend");
        var state = field(form, "state");
        if (!state.equals("in") && !state.equals("out")) throw new HttpError(400, "state=" + state);
        boolean isDisabled = state.equals("out");
        boolean isFound = false;
        for (var group : watched.upstreams()) {
            if (!group.name().equals(upstream)) continue;
            for (var one : group.backends()) {
                isFound |= one.setDisabled(backend, isDisabled, nanoClock.getAsLong());
            }
        }
        if (!isFound) return Texts.answer(404, "There is no backend " + backend + " in " + upstream + ".\n");
        var done = upstream + ": " + backend + " is " + (isDisabled ? "disabled" : "enabled");
        var who = Wording.of(request.remote());
        LOG.log(Level.INFO, "{0}, by {1}", done, who);
        ProxyEvents.ofProcess().add(EventKind.CHANGE, isDisabled, done, who);
        return Texts.answer(200, done + "\n");
    }

    private static String field(Form form, String name) {
        return form.first(name).orElseThrow(() -> new HttpError(400, "the form has no " + name));
    }

    /// Responds 409 with the reason if it fails.
    Response other(AdminChange change, Request request) {
        var how = others.get(change);
        if (how == null) return Texts.answer(404, "This proxy does not support that.\n");
        var who = Wording.of(request.remote());
        var answer = new CompletableFuture<Response>();
        Thread.ofVirtual().name("millrace-admin-" + change.word()).start(() -> answer.complete(done(change, how, who)));
        return Response.later(answer);
    }

    /// An input, output or argument error is no bug, and needs no stack trace.
    private static Response done(AdminChange change, Callable<String> how, String who) {
        try {
            var done = how.call();
            ProxyEvents.ofProcess().add(EventKind.CHANGE, false, change.asked, who);
            return Texts.answer(200, done + "\n");
        } catch (IOException e) {
            LOG.log(Level.WARNING, "the admin page could not {0}: {1}", change.word(), Wording.of(e));
            return refused(change, Wording.of(e), who);
        } catch (UncheckedIOException e) {
            LOG.log(Level.WARNING, "the admin page could not {0}: {1}", change.word(), e.getMessage());
            return refused(change, String.valueOf(e.getMessage()), who);
        } catch (Exception e) {
            LOG.log(Level.WARNING, "the admin page could not " + change.word(), e);
            return refused(change, String.valueOf(e.getMessage()), who);
        }
    }

    private static Response refused(AdminChange change, String why, String who) {
        ProxyEvents.ofProcess().add(EventKind.CHANGE, true, change.asked + ", which failed: " + why, who);
        return Texts.answer(409, why + "\n");
    }
}
