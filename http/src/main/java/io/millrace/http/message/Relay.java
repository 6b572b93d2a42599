package io.millrace.http.message;

import io.millrace.http.Headers;
import io.millrace.http.Response;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An exchange whose response comes from elsewhere, while its request's body goes there. Any thread.
///
/// ```
///   server: gone ◄── peer ── request's body ─► BodyPipe ─► upstream
///           interim, interim, response ◄───────────────── upstream
/// ```
public final class Relay {
    private static final int MOST_INTERIM = 8;

    /// An interim response (RFC 9110 section 15.2).
    public record Interim(int status, Headers headers) {}

    private final Optional<BodyPipe> requestBody;
    private final Runnable gone;

    // Guarded by this.

    /// Few responses have any.
    private @Nullable ArrayDeque<Interim> interims;

    private Runnable news = () -> {};
    private @Nullable Response response;

    /// Until the server's connection takes it.
    private @Nullable Takeover takeover;

    private @Nullable IOException failure;

    /// The server's connection waits for the response.
    private boolean isOpen;

    private boolean isGone;

    /// @param requestBody the pipe for the request's body; empty if it has none
    /// @param gone called once if the peer goes before the response begins, on the thread that notices
    public Relay(Optional<BodyPipe> requestBody, Runnable gone) {
        this.requestBody = requestBody;
        this.gone = gone;
    }

    // For the side with the response.

    /// The first response counts.
    public void respond(Response complete) {
        Runnable told;
        synchronized (this) {
            if (response != null) return;
            response = complete;
            told = news;
        }
        told.run();
    }

    /// There will be no response.
    public void fail(IOException cause) {
        Runnable told;
        synchronized (this) {
            if (response != null) return;
            failure = cause;
            told = news;
        }
        told.run();
    }

    /// The protocol changes, or a tunnel begins; aborted if it comes too late for that.
    public void upgrade(Takeover to) {
        var told = offer(to);
        if (told == null) to.abort();
        else told.run();
    }

    private synchronized @Nullable Runnable offer(Takeover to) {
        if (isGone || response != null || failure != null) return null;
        takeover = to;
        return news;
    }

    /// An interim response; too many are dropped.
    public void interim(int status, Headers headers) {
        Runnable told;
        synchronized (this) {
            if (response != null) return;
            if (interims == null) interims = new ArrayDeque<>();
            if (interims.size() == MOST_INTERIM) return;
            interims.add(new Interim(status, headers));
            told = news;
        }
        told.run();
    }

    // For the server's connection.

    public synchronized void opened(Runnable toTell) {
        isOpen = true;
        news = toTell;
    }

    /// The exchange is over. If another response was sent than that of this, nobody waits for it, nor for its body.
    public void exchangeIsOver() {
        if (isNobodys()) gone();
        var answered = response();
        if (answered != null) BuiltResponse.from(answered).leave();
    }

    private synchronized boolean isNobodys() {
        return !isOpen && !isGone;
    }

    public Optional<BodyPipe> requestBody() {
        return requestBody;
    }

    public synchronized @Nullable Interim nextInterim() {
        return interims == null ? null : interims.poll();
    }

    /// Who takes it begins it, or aborts it.
    public synchronized @Nullable Takeover takeTakeover() {
        var mine = takeover;
        takeover = null;
        return mine;
    }

    public synchronized @Nullable Response response() {
        return response;
    }

    public synchronized @Nullable IOException failure() {
        return failure;
    }

    /// The peer is gone, before the response began.
    public void gone() {
        gone.run();
        var untaken = leave();
        if (untaken != null) untaken.abort();
    }

    private synchronized @Nullable Takeover leave() {
        isGone = true;
        return takeTakeover();
    }
}
