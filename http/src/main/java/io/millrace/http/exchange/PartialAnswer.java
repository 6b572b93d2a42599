package io.millrace.http.exchange;

import io.millrace.http.BodyWriter;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.PushedBody;
import java.util.Objects;

/// Handles an incomplete response of a handler: decides what writes the rest, where the response comes from, or
/// what gets the request's body first.
final class PartialAnswer {
    private static final BodyWriter NOTHING = _ -> false;

    private PartialAnswer() {}

    static void begin(ServerExchange exchange, BuiltResponse answer) {
        switch (answer.content()) {
            case Body.Whole _, Body.Json _ -> throw new IllegalStateException(answer + " is complete");
            case Body.Stream writer -> respondWith(exchange, new StreamedResponse(exchange, answer, writer));
            case Body.Pushed pushed -> push(exchange, answer, pushed);
            case Body.Events events -> respondWith(exchange, new EventResponse(exchange, answer, events));
            case Body.Blocking blocking -> block(exchange, answer, blocking);
            case Body.File file -> exchange.await(DeferredResponse.forFile(exchange, file));
            case Body.Later later -> defer(exchange, new DeferredResponse(exchange, later));
            case Body.Relayed elsewhere -> relay(exchange, elsewhere);
            case Body.Collecting collecting -> collect(exchange, collecting);
            case Body.Reading reader -> exchange.receiver().handTo(new ReadingConsumer(exchange, reader));
            case Body.Duplex duplex -> exchange.receiver().handTo(new DuplexResponse(exchange, answer, duplex));
        }
    }

    private static void respondWith(ServerExchange exchange, PendingResponse response) {
        exchange.leaveBodyUnlessRelayed();
        exchange.await(response);
    }

    private static void push(ServerExchange exchange, BuiltResponse answer, Body.Pushed pushed) {
        var body = new PushedBody(exchange.stream().loop());
        var stream = new Body.Stream(body.pipe(), pushed.length(), pushed.encoding());
        respondWith(exchange, new StreamedResponse(exchange, answer, stream));
        try {
            pushed.open().accept(body);
        } catch (RuntimeException e) {
            body.fail(e);
        }
    }

    /// Its writer may wait for the request's body, which is kept.
    private static void block(ServerExchange exchange, BuiltResponse answer, Body.Blocking blocking) {
        exchange.request().keepBody();
        boolean hasBody = exchange.hasBody(answer);
        if (hasBody && exchange.isBodyPending()) exchange.receiver().sendContinue();
        var writer = hasBody
                ? BlockingResponse.begin(exchange.stream().loop(), "the response to " + exchange, blocking.writer())
                : NOTHING;
        exchange.await(new StreamedResponse(
                exchange, answer, new Body.Stream(writer, blocking.length(), blocking.encoding())));
    }

    /// The later response may need the body, even one that is lent until the handler returns.
    private static void defer(ServerExchange exchange, DeferredResponse response) {
        exchange.request().keepBody();
        exchange.await(response);
    }

    /// The response comes from elsewhere, and the request's body goes there.
    private static void relay(ServerExchange exchange, Body.Relayed elsewhere) {
        var body = elsewhere.relay().requestBody();
        if (body.isPresent() || exchange.isBodyPending()) exchange.receiver().relayTo(body);
        exchange.await(new RelayedResponse(exchange, elsewhere));
    }

    private static void collect(ServerExchange exchange, Body.Collecting collecting) {
        if (exchange.isBodyPending()) exchange.receiver().collect(collecting);
        else exchange.answer(called(exchange, collecting));
    }

    /// The response of a handler that is called with the collected body.
    static Response called(ServerExchange exchange, Body.Collecting whole) {
        Response response = null;
        try {
            response = Objects.requireNonNull(whole.handler().call(), "a handler answered null");
            return response.map(whole.change());
        } catch (Exception e) {
            if (response != null) BuiltResponse.from(response).discard();
            return exchange.failure(e);
        }
    }
}
