package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.message.BodyPipe;
import io.millrace.net.Reset;

/// Passes a request's body through a pipe: to a thread that waits for it, or to another server.
final class PipingConsumer implements BodyConsumer {
    private final ServerExchange exchange;
    private final BodyPipe to;
    private final boolean outlastsHead;
    private final DecodedBody decoded;

    /// @param outlastsHead whether it goes on after the head of the response
    PipingConsumer(ServerExchange exchange, BodyPipe to, boolean outlastsHead) {
        this.exchange = exchange;
        this.to = to;
        this.outlastsHead = outlastsHead;
        this.decoded = exchange.decoded();
        to.countedIn(exchange.stream().pipedBytes());
    }

    @Override
    public void read(Input part) throws Exception {
        decoded.read(part, this::pass, exchange.stream().source());
    }

    @SuppressWarnings("ReferenceEquality") // the object itself
    private void pass(Input part) {
        if (decoded == DecodedBody.PLAIN) to.putSome(part, exchange.stream().source());
        else to.put(part, exchange.stream().source());
    }

    @Override
    public boolean hasRoom() {
        return !to.isFull();
    }

    @Override
    public boolean isWanted() {
        return to.isAskedFor();
    }

    @Override
    public boolean mayPause() {
        return to.mayPause();
    }

    @Override
    public boolean outlastsHead() {
        return outlastsHead;
    }

    @Override
    public DecodedBody decoded() {
        return decoded;
    }

    @Override
    public void end() {
        to.end(exchange.request().trailers());
    }

    @Override
    public void abort() {
        decoded.release(exchange.stream().source());
        to.fail(new Reset("the body of the request is not complete"));
    }
}
