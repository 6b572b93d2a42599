package io.millrace.tls;

import io.millrace.loop.LoopLog;
import io.millrace.net.Stage;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;

/// A TLS server that can be reloaded while it serves, for instance because its certificate was renewed. Open
/// connections keep what they began with; each new one gets either the old or the new server.
///
/// ```java
/// var tls = Tls.reloading(() -> Tls.server(Path.of("fullchain.pem"), Path.of("key.pem")));
/// Http.serve(Listen.on(443).through(tls), app);
/// Signals.on("HUP", tls::reload);
/// ```
/// Any thread.
public final class TlsReload implements Stage {
    private static final System.Logger LOG = LoopLog.of("io.millrace.tls");

    private final Supplier<TlsServer> how;
    private volatile TlsServer current;

    /// @param how reads the server; what it throws the first time is passed on
    TlsReload(Supplier<TlsServer> how) {
        this.how = how;
        this.current = how.get();
    }

    /// Reads again. If the result cannot be used, because a key does not belong to its certificate or a file is
    /// incomplete, everything stays as it is, and a line is logged. What has not changed keeps its sessions.
    ///
    /// @return whether it could be read
    public synchronized boolean reload() {
        try {
            var next = how.get();
            if (!next.equals(current)) current = next;
            return true;
        } catch (IllegalArgumentException | UncheckedIOException e) {
            LOG.log(Level.WARNING, "TLS was not reloaded and stays as it is: " + e.getMessage());
            return false;
        }
    }

    @Override
    public Link open(Context context) {
        return current.open(context);
    }
}
