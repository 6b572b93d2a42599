package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.exchange.ServerStream;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Takeover;
import io.millrace.loop.ErrorLog;
import io.millrace.loop.TcpConnection;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The server's stream of an HTTP/1.1 connection: writes responses (RFC 9112 sections 4, 6, 7, and 9).
final class ConnectionStream extends FramedStream implements ServerStream {
    /// A shorter body is written into the same array as its head.
    private static final int TEXT_BYTES = 1024;

    private final HttpConnection owner;
    private final HttpServing serving;

    /// Collects small pieces of output during a call; on the loop, all connections share it.
    private final WireText text;

    // For the exchange.

    private boolean isOldPeer;
    private boolean isHead;
    private boolean keepsAlive;
    private boolean isPeersLast;

    /// The end of the connection marks the end of the response's body.
    private boolean endsWithConnection;

    /// The peer sends its body only after `100 Continue`, unless it is answered otherwise.
    private boolean awaitsContinue;

    ConnectionStream(HttpConnection owner, HttpServing serving, TcpConnection connection, WireText text) {
        super(connection);
        this.owner = owner;
        this.serving = serving;
        this.text = text;
    }

    /// Waits for a head.
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

    /// The peer has announced a body, and waits to send it.
    void expectsContinue() {
        awaitsContinue = true;
    }

    boolean awaitsContinue() {
        return awaitsContinue;
    }

    boolean keepsAlive() {
        return keepsAlive;
    }

    /// Whether nothing follows this request: the peer has announced that, and the request has no body (RFC 9112
    /// section 9.6).
    boolean isPeersLast() {
        return isPeersLast;
    }

    /// Whether the peer would take the end of the connection for the end of the response.
    boolean endsWithConnection() {
        return endsWithConnection;
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
        // With this response the peer need not send the rest of its body (RFC 9112 section 9.6).
        boolean isRefusal = response.status() >= 300 && !owner.isRestShort();
        if (endsWithConnection || isRefusal) keepsAlive = false;
        ResponseHead.writeStreamed(ResponseHead.ours(response), framing, length, keepsAlive, isOldPeer, text);
        text.flush(output);
    }

    @Override
    public void upgrade(Takeover to) {
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
    public void refuses() {
        endKeepAlive();
    }

    @Override
    public void over() {
        owner.exchangeIsOver();
    }

    @Override
    public void reset(boolean takesNothing, @Nullable IOException cause) {
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
    public boolean isReceiving() {
        return connection.isReceiving();
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
