package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.http.h2.Http2Codes;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.sim.Simulation;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/// A server of HTTP/2 that says what a test wants: an object for each connection.
abstract class ScriptedHttp2 implements Handler {
    /// `:status` 200, indexed.
    private static final byte[] OK = {(byte) 0x88};

    final Connection connection;
    private int prefaceLeft = Http2Codes.PREFACE.length();

    ScriptedHttp2(Connection connection) {
        this.connection = connection;
    }

    static void listen(Simulation network, Function<Connection, ScriptedHttp2> script) {
        network.listen(SimulatedLoad.PORT, script::apply);
    }

    /// The first bytes of the client have arrived.
    void begins() {
        frame(Http2Codes.SETTINGS, 0, 0);
    }

    /// HEADERS or DATA have arrived.
    ///
    /// @param length of the payload
    /// @param endsStream whether it is the last frame of the request
    abstract void asked(int type, int id, int length, boolean endsStream);

    @Override
    public void onInput(Input in) {
        if (prefaceLeft == Http2Codes.PREFACE.length() && in.remaining() > 0) begins();
        int ofPreface = (int) Math.min(prefaceLeft, in.remaining());
        in.skip(ofPreface);
        prefaceLeft -= ofPreface;
        while (prefaceLeft == 0 && in.remaining() >= Http2Codes.HEADER_BYTES) {
            int word = in.peekInt(0);
            int length = word >>> 8;
            if (in.remaining() < Http2Codes.HEADER_BYTES + length) return;
            int flags = in.peekByte(4);
            int id = in.peekInt(5);
            in.skip(Http2Codes.HEADER_BYTES + length);
            int type = word & 0xff;
            boolean isRequest = type == Http2Codes.HEADERS || type == Http2Codes.DATA;
            if (isRequest) asked(type, id, length, (flags & Http2Codes.END_STREAM) != 0);
            else told(type, id, flags);
        }
    }

    /// Another frame has arrived.
    void told(int type, int id, int flags) {}

    /// Sends a frame whose payload is numbers of four bytes.
    final void frame(int type, int flags, int id, int... payload) {
        header(4 * payload.length, type, flags, id);
        for (int word : payload) connection.output().writeInt(word);
    }

    private void header(int length, int type, int flags, int id) {
        connection.output().writeInt(length << 8 | type).writeByte(flags).writeInt(id);
    }

    final void setting(int name, int value) {
        header(6, Http2Codes.SETTINGS, 0, 0);
        connection.output().writeShort(name).writeInt(value);
    }

    final void ok(int id, String body) {
        header(OK.length, Http2Codes.HEADERS, Http2Codes.END_HEADERS, id);
        connection.output().write(OK, 0, OK.length);
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        header(bytes.length, Http2Codes.DATA, Http2Codes.END_STREAM, id);
        connection.output().write(bytes, 0, bytes.length);
    }
}
