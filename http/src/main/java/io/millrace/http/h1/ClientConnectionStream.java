package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.http.exchange.Caller;
import io.millrace.http.exchange.ClientStream;
import io.millrace.http.message.Body;
import io.millrace.http.message.OutgoingHead;
import io.millrace.loop.TcpConnection;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A connection of HTTP/1.1 as what carries an exchange: its requests on the wire (RFC 9112 sections 3, 6, and 7).
final class ClientConnectionStream extends FramedStream implements ClientStream {
    private final ClientConnection owner;

    /// What the head of the request is a part of.
    private int asked;

    ClientConnectionStream(ClientConnection owner, TcpConnection connection) {
        super(connection);
        this.owner = owner;
    }

    /// Whether the transport has got the head, so that the server may have heard of it.
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
        text.clear();
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

    // The end.

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

    /// A server that takes nothing of the request has itself to blame for that nobody hears it.
    @Override
    public boolean isStarved() {
        return !connection.isReceiving() && !connection.isFull();
    }
}
