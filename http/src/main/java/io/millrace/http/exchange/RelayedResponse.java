package io.millrace.http.exchange;

import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.Relay;
import java.io.IOException;
import java.util.function.UnaryOperator;

/// A response that comes from elsewhere, where the request's body goes as it arrives.
final class RelayedResponse implements PendingResponse {
    private final ServerExchange exchange;
    private final Relay relay;
    private final UnaryOperator<Response> change;
    private boolean isOpen;

    RelayedResponse(ServerExchange exchange, Body.Relayed body) {
        this.exchange = exchange;
        this.relay = body.relay();
        this.change = body.change();
    }

    @Override
    public void go() throws IOException {
        if (!isOpen) {
            isOpen = true;
            relay.opened(exchange.stream()::wake);
        }
        for (var next = relay.nextInterim(); next != null; next = relay.nextInterim()) {
            exchange.stream().interim(next.status(), next.headers());
        }
        var takeover = relay.takeTakeover();
        if (takeover != null) exchange.upgrade(takeover);
        var response = relay.response();
        var failure = relay.failure();
        if (response != null) exchange.answerInstead(change.apply(response));
        else if (failure != null) throw failure;
    }

    @Override
    public void breakOff() {
        relay.gone();
    }
}
