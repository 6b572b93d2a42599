package io.millrace;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.loop.LoopLog;
import io.millrace.net.Connection;
import io.millrace.net.Stage;
import java.lang.System.Logger.Level;
import java.util.HexFormat;

/// A stage that logs what crosses the wire, in hexadecimal, up to a number of bytes of each piece: for finding out
/// what a peer really sends.
///
/// ```java
/// Tcp.listen(Listen.on(7007).through(WireLog.to(System.getLogger("wire"), Level.DEBUG, 64)), …);
/// ```
public final class WireLog implements Stage {
    private final System.Logger log;
    private final Level level;
    private final int maxBytes;

    private WireLog(System.Logger log, Level level, int maxBytes) {
        this.log = log;
        this.level = level;
        this.maxBytes = maxBytes;
    }

    /// Logs to a given logger.
    ///
    /// @param maxBytes the most bytes to show of each piece; the rest is only counted
    public static WireLog to(System.Logger log, Level level, int maxBytes) {
        if (maxBytes < 0) throw new IllegalArgumentException(maxBytes + " bytes: log 0 or more of each piece");
        return new WireLog(LoopLog.to(log), level, maxBytes);
    }

    @Override
    public Link open(Context context) {
        var conn = context.connection();
        log.log(level, "{0} open", conn.remote());
        return new Link() {
            @Override
            public void receive(Input in, Output app, Output wire) {
                show(conn, "->", in);
                app.move(in);
            }

            @Override
            public void send(Input in, Output wire) {
                show(conn, "<-", in);
                wire.move(in);
            }

            @Override
            public void end(Output wire) {
                log.log(level, "{0} <- end", conn.remote());
            }

            @Override
            public void ended() {
                log.log(level, "{0} -> end", conn.remote());
            }
        };
    }

    private void show(Connection conn, String direction, Input in) {
        if (!log.isLoggable(level)) return;
        int shown = (int) Math.min(maxBytes, in.remaining());
        var bytes = new byte[shown];
        for (int i = 0; i < shown; i++) bytes[i] = in.peekByte(i);
        var text = HexFormat.ofDelimiter(" ").formatHex(bytes) + (shown < in.remaining() ? " …" : "");
        log.log(level, "{0} {1} {2} bytes: {3}", conn.remote(), direction, in.remaining(), text);
    }
}
