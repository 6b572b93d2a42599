package io.millrace.lab.load;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;

/// A WebSocket on a connection of HTTP/1.1 (RFC 6455 section 4).
final class UpgradedCarrier implements WsCarrier {
    private static final Bytes END_OF_HEAD = Bytes.utf8("\r\n\r\n");
    private static final int MOST_HEAD_BYTES = 16 << 10;

    private final WsHandshake handshake;
    private final String name;
    private boolean isAsked;
    private boolean isOpen;

    UpgradedCarrier(WsHandshake handshake, String name) {
        this.handshake = handshake;
        this.name = name;
    }

    @Override
    public void reply(Output to) {
        if (isAsked) return;
        isAsked = true;
        var request = handshake.request();
        to.write(request, 0, request.length);
    }

    @Override
    public boolean isOpen() {
        return isOpen;
    }

    @Override
    public int room(int wantedBytes) {
        return wantedBytes;
    }

    @Override
    public void before(Output to, int bytes) {}

    @Override
    public boolean read(Input in, WsFrames frames) throws BadAnswer {
        if (!isOpen && !open(in)) return false;
        frames.take(in, (int) Math.min(Integer.MAX_VALUE, in.remaining()));
        return frames.isComplete();
    }

    private boolean open(Input in) throws BadAnswer {
        long end = in.indexOf(END_OF_HEAD, 0);
        if (end < 0 && in.remaining() < MOST_HEAD_BYTES) return false;
        if (end < 0) throw new BadAnswer("the server of " + name + " sent no head of HTTP/1.1");
        var head = in.readUtf8(end + END_OF_HEAD.length());
        var complaint = handshake.complaint(head);
        if (!complaint.isEmpty()) throw new BadAnswer("the WebSocket on " + name + " " + complaint);
        isOpen = true;
        return true;
    }
}
