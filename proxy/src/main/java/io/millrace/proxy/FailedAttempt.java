package io.millrace.proxy;

import io.millrace.http.Response;
import io.millrace.http.grammar.Grpc;
import io.millrace.loop.LoopLog;
import io.millrace.net.NetException;
import io.millrace.net.Overloaded;
import io.millrace.net.ProtocolError;
import io.millrace.net.Reset;
import io.millrace.net.TimedOut;
import io.millrace.proxy.upstream.Outcome;
import java.lang.System.Logger.Level;

/// A failed attempt: which side failed, and whether another attempt follows.
final class FailedAttempt {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");

    private final ProxiedRequest asked;
    private final BackendAttempt attempt;
    private final Throwable failure;

    FailedAttempt(ProxiedRequest asked, BackendAttempt attempt, Throwable failure) {
        this.asked = asked;
        this.attempt = attempt;
        this.failure = failure;
    }

    /// Once, on the loop of the attempt's connection.
    void conclude() {
        var outcome = outcome();
        if (outcome == Outcome.NOT_CONNECTED) attempt.unreachable(String.valueOf(failure.getMessage()));
        if (attempt.call().wantsHttp2()) attempt.wantsHttp2();
        attempt.ended(outcome);
        asked.because(reason(outcome));
        LOG.log(Level.DEBUG, () -> attempt + " failed: " + failure);
        var response = response(outcome);
        asked.lastResort(response);
        attempt.failBody(failure instanceof NetException cut ? cut : new Reset(failure.toString()));
        if (outcome == Outcome.STALE) asked.mayAskAgain(attempt.backend());
        if (outcome == Outcome.STALE && !attempt.call().wasRefused()) asked.wantNewConnection();
        if (attempt.hasAnswered()) asked.body().close();
        else if (isAnotherAsked(outcome)) asked.goOn();
        else if (isResetCall(outcome)) asked.failInstead((Reset) failure);
        else asked.answerInstead(response);
    }

    /// The code of a reset says to a client of gRPC what became of its call, better than a status could.
    private boolean isResetCall(Outcome outcome) {
        boolean isReset = asked.isCall() && outcome == Outcome.RESET;
        return isReset && failure instanceof Reset cut && cut.code().isPresent();
    }

    private String reason(Outcome outcome) {
        if (attempt.isReplaced()) return "";
        return attempt.isUnwanted() ? "the client left" : outcome + ": " + failure.getMessage();
    }

    private boolean isAnotherAsked(Outcome outcome) {
        var retries = asked.upstream().retries();
        if (attempt.isRejected() && !asked.isAbandoned()) return true;
        if (isFull() && attempt.number() < retries.attempts() && asked.hasOthers()) return true;
        return retries.isOn(outcome) && attempt.mayTryAgain() && asked.takeRetry();
    }

    /// Too many requests wait for a connection to it, or the system has no descriptor left: trying another
    /// backend costs nothing.
    private boolean isFull() {
        return failure instanceof Overloaded && !attempt.call().wasSent() && !asked.isAbandoned();
    }

    private Outcome outcome() {
        if (attempt.isRejected() || attempt.isReplaced()) return attempt.ofStatus();
        if (asked.isAbandoned() || attempt.isUnwanted() || failure instanceof Overloaded) return Outcome.ABANDONED;
        // A client must not bring a backend into disrepute that serves everything else.
        if (asked.body().hasFailed() || attempt.offersNoUpgrade()) return Outcome.ABANDONED;
        if (!attempt.call().wasSent()) return Outcome.NOT_CONNECTED;
        return switch (failure) {
            case TimedOut _ -> attempt.call().wasServersTurn() ? Outcome.TIMED_OUT : Outcome.ABANDONED;
            case ProtocolError _ -> Outcome.BAD_RESPONSE;
            // Thrown on this side, by what writes the request's body for instance.
            case RuntimeException _ -> Outcome.ABANDONED;
            default -> attempt.call().wasStale() ? Outcome.STALE : Outcome.RESET;
        };
    }

    private boolean isUnprocessed(Outcome outcome) {
        return outcome == Outcome.NOT_CONNECTED || attempt.call().wasRefused();
    }

    /// The client's response if it was the last attempt.
    private Response response(Outcome outcome) {
        if (attempt.isRejected()) return attempt.rejected();
        return switch (failure) {
            // The rest of its request is missing.
            case TimedOut _ when outcome == Outcome.ABANDONED -> Response.status(408);
            case TimedOut _ -> Response.status(504);
            case Overloaded _ -> ProxiedRequest.unavailable();
            case ProtocolError _
            when asked.isCall() && attempt.call().wantsHttp2() ->
                Response.status(502)
                        .setHeader(
                                Grpc.MESSAGE,
                                Grpc.message(
                                        "502 Bad Gateway: " + asked.upstream().backends() + " needs protocol: h2"));
            // No backend has processed it: it may be sent again.
            default -> isUnprocessed(outcome) ? ProxiedRequest.unavailable() : Response.status(502);
        };
    }
}
