package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.exchange.ServerStream;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.ErrorLog;
import io.millrace.loop.TcpConnection;

/// A connection of HTTP/1.1 as what carries an exchange: its responses on the wire (RFC 9112 sections 4, 6, 7, and 9).
final class ConnectionStream extends FramedStream implements ServerStream {
    /// A body of less goes into the array that its head is put together in.
    private static final int TEXT_BYTES = 1024;

    private final HttpConnection owner;
    private final HttpServing serving;

    /// Where small pieces of output are put together during a call; on the loop it is everybody's.
    private final WireText text;

    // Of the exchange.

    private boolean isOldPeer;
    private boolean isHead;
    private boolean keepsAlive;
    private boolean isPeersLast;

    /// Nothing but the end of the connection tells where the response's body ends.
    private boolean endsWithConnection;

    /// The peer sends no body before it has heard `100 Continue`, or an answer that may be another.
    private boolean awaitsContinue;

    ConnectionStream(HttpConnection owner, HttpServing serving, TcpConnection connection) {
        super(connection);
        this.owner = owner;
        this.serving = serving;
        this.text = serving.text();
    }

    /// A head is awaited.
    void rest() {
        isOldPeer = false;
        isHead = false;
    }

    /// A head has been read.
    void begin(RequestHead head, boolean mayKeepAlive) {
        isOldPeer = head.isOld();
        isHead = head.isMethod("HEAD");
        keepsAlive = mayKeepAlive && head.keepsAlive();
        isPeersLast = !head.keepsAlive() && !head.hasBody() && !head.isMethod("CONNECT");
        endsWithConnection = false;
        awaitsContinue = false;
    }

    /// It has announced a body, of which nothing has come.
    void expectsContinue() {
        awaitsContinue = true;
    }

    boolean awaitsContinue() {
        return awaitsContinue;
    }

    boolean keepsAlive() {
        return keepsAlive;
    }

    /// Whether the peer sends nothing behind this request: it has said so, and a body it has none (RFC 9112
    /// section 9.6).
    boolean isPeersLast() {
        return isPeersLast;
    }

    /// Whether the peer would take the end of the connection for the end of the response.
    boolean endsWithConnection() {
        return endsWithConnection;
    }

    WireText text() {
        return text;
    }

    // The response.

    @Override
    public void interim(int status, Headers fields) {
        if (status == 100) awaitsContinue = false;
        if (!isOldPeer) ResponseHead.writeInterim(status, fields, text);
    }

    @Override
    public void answer(BuiltResponse response, Bytes body, boolean hasBody) {
        ResponseHead.writeWhole(ResponseHead.ours(response), body.length(), keepsAlive, isOldPeer, text);
        if (!hasBody) return;
        if (body.length() < TEXT_BYTES) {
            text.put(body);
            return;
        }
        text.flush(output);
        output.write(body);
    }

    @Override
    public void head(BuiltResponse response, long length, boolean hasBody) {
        framing = BodyFraming.of(response.status(), length, isOldPeer);
        endsWithConnection = framing == BodyFraming.CLOSE;
        // A peer that hears this need not send the rest of its body (RFC 9112 section 9.6).
        boolean isRefusal = response.status() >= 300 && !owner.isRestShort();
        if (endsWithConnection || isRefusal) keepsAlive = false;
        ResponseHead.writeStreamed(ResponseHead.ours(response), framing, length, keepsAlive, isOldPeer, text);
        text.flush(output);
    }

    @Override
    public void upgrade(Upgraded to) {
        if (to.status() == 101) ResponseHead.writeUpgrade(to.headers(), text);
        else ResponseHead.writeTunnel(text);
        text.flush(output);
        owner.becomesTunnel(to);
    }

    @Override
    public void endKeepAlive() {
        keepsAlive = false;
    }

    @Override
    public void over() {
        owner.exchangeIsOver();
    }

    @Override
    public void reset(boolean takesNothing) {
        owner.drop(takesNothing);
    }

    @Override
    public void leaveBody() {
        keepsAlive = keepsAlive && owner.leavesBody();
        if (!keepsAlive) owner.releaseBody();
    }

    // Room.

    @Override
    public boolean isOpen() {
        return connection.takesFrames();
    }

    @Override
    public long unsentBytes() {
        return output.size();
    }

    @Override
    public long unsentLimitBytes() {
        return connection.outputLimitBytes();
    }

    // Threads.

    @Override
    public boolean mayWait() {
        return !serving.isOnLoop();
    }

    @Override
    public boolean sendMeanwhile() {
        if (!connection.loop().inLoop() || !connection.isOpen()) return false;
        text.flush(output);
        connection.sendMeanwhile();
        return true;
    }

    @Override
    public boolean isInCall() {
        return connection.isInCall();
    }

    @Override
    public boolean mayLeaveCall() {
        return serving.mayLeaveCall();
    }

    @Override
    public void leaveCall() {
        owner.leavesCall();
        connection.leaveCall();
    }

    @Override
    public boolean isLent() {
        return connection.isLent();
    }

    // What has arrived.

    @Override
    public String protocol() {
        return isOldPeer ? "HTTP/1.0" : "HTTP/1.1";
    }

    @Override
    public boolean isHead() {
        return isHead;
    }

    // What it belongs to.

    @Override
    public ErrorLog errors() {
        return connection.errors();
    }
}
