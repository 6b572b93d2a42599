package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.h2.Http2Codes;
import io.millrace.http.h2.Resets;
import org.jspecify.annotations.Nullable;

/// A WebSocket in the one stream of a connection of HTTP/2 (RFC 8441).
///
/// ```
///   preface ── SETTINGS with ENABLE_CONNECT_PROTOCOL ──► CONNECT ── status 200 ──► open: frames in DATA
/// ```
final class StreamCarrier implements WsCarrier, Http2Events {
    private static final int ID = 1;
    private static final int OK = 200;
    private static final byte[] NOTHING = {};

    private final WsHandshake handshake;
    private final String name;
    private final ResponseFrames frames = new ResponseFrames(new ResponseFields(), this);
    private byte[] owed = Http2Wire.opening();

    private boolean hasSettings;
    private boolean takesWebSockets;
    private boolean isAsked;
    private boolean isOpen;

    // How much the server takes.

    private long window = Http2Codes.USUAL_WINDOW;
    private long streamWindow = Http2Codes.USUAL_WINDOW;
    private int streamWindowAtFirst = Http2Codes.USUAL_WINDOW;

    private long receivedBytes;

    /// Of the WebSocket, during [#read].
    private @Nullable WsFrames carried;

    private boolean isComplete;

    StreamCarrier(WsHandshake handshake, String name) {
        this.handshake = handshake;
        this.name = name;
    }

    // Down.

    @Override
    public void reply(Output to) {
        if (owed.length == 0) return;
        to.write(owed, 0, owed.length);
        owed = NOTHING;
    }

    private void owe(byte[] frame) {
        owed = Http2Wire.joined(owed, frame);
    }

    @Override
    public boolean isOpen() {
        return isOpen;
    }

    @Override
    public int room(int wantedBytes) {
        return Math.clamp(Math.min(window, streamWindow), 0, Math.min(wantedBytes, Http2Codes.MOST_BYTES));
    }

    @Override
    public void before(Output to, int bytes) {
        to.writeInt(bytes << 8 | Http2Codes.DATA);
        to.writeByte(0);
        to.writeInt(ID);
        window -= bytes;
        streamWindow -= bytes;
    }

    // Up.

    @Override
    public boolean read(Input in, WsFrames of) throws BadAnswer {
        carried = of;
        isComplete = false;
        boolean hasMore = true;
        while (hasMore && !isComplete) {
            hasMore = frames.next(in);
            ask();
        }
        return isComplete;
    }

    private void ask() throws BadAnswer {
        if (!hasSettings || isAsked) return;
        if (!takesWebSockets) throw bad("takes no WebSockets over HTTP/2 (RFC 8441)");
        isAsked = true;
        owe(RequestFrames.webSocket(handshake));
    }

    private BadAnswer bad(String what) {
        return new BadAnswer("the server of " + name + " " + what);
    }

    @Override
    public String named() {
        return name;
    }

    @Override
    public void fields(int id, int status, boolean endsStream, int bytes) throws BadAnswer {
        if (status >= OK && !isOpen && (status != OK || endsStream))
            throw new BadAnswer("the WebSocket on " + name + " was not opened: status " + status);
        isOpen |= status == OK;
        if (endsStream) ends(id);
    }

    @Override
    public void dataBegins(int id, int length) {
        receivedBytes += length;
        if (!Http2Wire.isUsed(receivedBytes, length)) return;
        owe(Http2Wire.frame(Http2Codes.WINDOW_UPDATE, 0, 0, Http2Wire.PART));
        owe(Http2Wire.frame(Http2Codes.WINDOW_UPDATE, 0, ID, Http2Wire.PART));
    }

    @Override
    public int body(int id, Input in, int bytes) throws BadAnswer {
        if (carried == null || !isOpen) throw bad("sent bytes before it had opened the WebSocket");
        int taken = carried.take(in, bytes);
        isComplete = carried.isComplete();
        return taken;
    }

    @Override
    public void ends(int id) throws BadAnswer {
        throw bad("ended the stream of the WebSocket");
    }

    @Override
    public void reset(int id, int code) throws BadAnswer {
        throw bad("reset the stream of the WebSocket: " + Resets.name(code));
    }

    @Override
    public void settings() {
        hasSettings = true;
        owe(Http2Wire.frame(Http2Codes.SETTINGS, Http2Codes.ACK, 0));
    }

    @Override
    public void set(int setting, int value) {
        if (setting == Http2Codes.ENABLE_CONNECT) takesWebSockets = value == 1;
        if (setting != Http2Codes.WINDOW) return;
        streamWindow += value - streamWindowAtFirst;
        streamWindowAtFirst = value;
    }

    @Override
    public void windowGrows(int id, int more) {
        if (id == 0) window += more;
        else streamWindow += more;
    }

    @Override
    public void pinged(int high, int low) {
        owe(Http2Wire.frame(Http2Codes.PING, Http2Codes.ACK, 0, high, low));
    }

    @Override
    public void goesAway(int lastId, int code) throws BadAnswer {
        throw bad("goes away with " + Resets.name(code));
    }
}
