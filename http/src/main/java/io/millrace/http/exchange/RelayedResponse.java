package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.Relay;
import io.millrace.net.Reset;
import java.util.function.UnaryOperator;

/// A request that is answered elsewhere: its body goes there as it arrives, until the response comes and the same
/// goes on behind that.
final class RelayedResponse implements BodyConsumer, PendingResponse {
    private final ServerExchange exchange;
    private final Relay relay;
    private final UnaryOperator<Response> change;
    private final DecodedBody decoded;
    private boolean isOpen;

    RelayedResponse(ServerExchange exchange, Body.Relayed body) {
        this.exchange = exchange;
        this.relay = body.relay();
        this.change = body.change();
        this.decoded = exchange.decoded();
    }

    // The response.

    @Override
    public void go() {
        if (!isOpen) {
            isOpen = true;
            relay.opened(exchange.stream()::wake);
        }
        for (var next = relay.nextInterim(); next != null; next = relay.nextInterim()) {
            exchange.stream().interim(next.status(), next.headers());
        }
        var upgraded = relay.upgraded();
        if (upgraded != null) exchange.upgrade(upgraded);
        var response = relay.response();
        if (response != null) exchange.answerInstead(change.apply(response));
    }

    @Override
    public void breakOff() {
        relay.gone();
    }

    // The body of the request.

    @Override
    public void begin() {}

    @Override
    public void read(Input part) throws Exception {
        decoded.read(part, this::pass, exchange.stream().source());
    }

    private void pass(Input part) {
        var to = relay.requestBody();
        if (to.isEmpty()) part.skip(part.remaining());
        else to.get().put(part, exchange.stream().source());
    }

    @Override
    public DecodedBody decoded() {
        return decoded;
    }

    /// The response is still to come, or under way.
    @Override
    public void end() {
        var trailers = exchange.request().trailers();
        relay.requestBody().ifPresent(to -> to.end(trailers));
    }

    @Override
    public void abort() {
        decoded.release(exchange.stream().source());
        relay.requestBody().ifPresent(to -> to.fail(new Reset("the body of the request is not complete")));
    }

    @Override
    public boolean hasRoom() {
        return relay.requestBody().map(to -> !to.isFull()).orElse(true);
    }

    @Override
    public boolean isWanted() {
        return relay.requestBody().map(BodyPipe::isAskedFor).orElse(false);
    }
}
