package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.Relay;
import io.millrace.net.Reset;
import java.util.function.UnaryOperator;

/// A request that is answered elsewhere: its body goes there as it arrives, until the response comes and the same
/// goes on behind that.
final class RelayedResponse implements Reading, PendingResponse {
    private final HttpConnection connection;
    private final Relay relay;
    private final UnaryOperator<Response> change;
    private final DecodedBody unpacked;
    private boolean isOpen;

    RelayedResponse(HttpConnection connection, Body.Relayed body) {
        this.connection = connection;
        this.relay = body.relay();
        this.change = body.change();
        this.unpacked = DecodedBody.of(body.decoding(), connection.output().source());
    }

    // The response.

    @Override
    public void go() {
        if (!isOpen) {
            isOpen = true;
            relay.opened(connection.connection()::callHandler);
        }
        for (var next = relay.nextInterim(); next != null; next = relay.nextInterim()) {
            if (!connection.exchange().isOldPeer()) ResponseHead.writeInterim(next, connection.text());
        }
        var upgraded = relay.upgraded();
        if (upgraded != null) connection.upgrade(upgraded);
        var response = relay.response();
        if (response != null) connection.answerInstead(change.apply(response));
    }

    @Override
    public void close() {
        relay.gone();
    }

    // The body of the request.

    @Override
    public void begin() {}

    @Override
    public void read(Input part) throws Exception {
        unpacked.read(part, this::pass, connection.output().source());
    }

    private void pass(Input part) {
        var to = relay.requestBody();
        if (to.isEmpty()) part.skip(part.remaining());
        else to.get().put(part, connection.output().source());
    }

    @Override
    public DecodedBody unpacked() {
        return unpacked;
    }

    /// The response is still to come, or under way.
    @Override
    public void end() {
        var trailers = connection.exchange().request().trailers();
        relay.requestBody().ifPresent(to -> to.end(trailers));
        connection.state(HttpConnection.State.BUSY);
    }

    @Override
    public void abort() {
        unpacked.release(connection.output().source());
        relay.requestBody().ifPresent(to -> to.fail(new Reset("the body of the request is not complete")));
    }

    /// Whether the body goes on being read.
    boolean hasRoom() {
        return relay.requestBody().map(to -> !to.isFull()).orElse(true);
    }

    /// Whether somebody has asked for the body.
    boolean isBodyWanted() {
        return relay.requestBody().map(BodyPipe::isAskedFor).orElse(false);
    }
}
