package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ClientStream;
import io.millrace.http.message.Body;
import io.millrace.http.message.OutgoingHead;
import io.millrace.loop.TcpConnection;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The client's stream of an HTTP/1.1 connection: writes requests (RFC 9112 sections 3, 6, and 7).
final class ClientConnectionStream extends FramedStream implements ClientStream {
    private final ClientConnection owner;

    /// The portion of output that has the request's head.
    private int asked;

    ClientConnectionStream(ClientConnection owner, TcpConnection connection) {
        super(connection);
        this.owner = owner;
    }

    /// Whether the transport has got the head, so that the server may have read it.
    boolean hasAsked() {
        return connection.hasLeft(asked);
    }

    // The request.

    @Override
    public void send(OutgoingHead head, Bytes body) {
        head(head);
        output.write(body);
    }

    @Override
    public void head(OutgoingHead head) {
        framing = head.bodyLength() == Body.UNKNOWN ? BodyFraming.CHUNKED : BodyFraming.LENGTH;
        var text = owner.text();
        text.clear(loop().wallClock());
        RequestWriter.write(head, text);
        text.flush(output);
        asked = connection.portion();
    }

    // The response.

    @Override
    public void pause() {
        connection.pause();
    }

    @Override
    public void resume() {
        connection.resume();
    }

    // Ending.

    @Override
    public void over(boolean isSent) {
        owner.exchangeIsOver(isSent);
    }

    @Override
    public void reset(IOException cause) {
        owner.exchangeIsDropped();
        connection.fail(cause);
    }

    @Override
    public void gone(@Nullable Caller unread) {
        owner.isGone(unread);
    }

    // Blame.

    @Override
    public boolean isSending() {
        return connection.isSending();
    }

    @Override
    public long lastMovedNanos() {
        return connection.lastMovedNanos();
    }

    /// A server that does not read the request has itself to blame if its response is not received.
    @Override
    public boolean isStarved() {
        return !connection.isReceiving() && !connection.isFull();
    }
}
