package io.millrace.tls;

import io.millrace.loop.LoopLog;
import io.millrace.net.Stage;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;

/// A TLS server that is read anew while it serves, because its certificate was renewed for instance. Connections that
/// there are keep what they began with; each new one has the old or the new server, whole.
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

    /// @param how reads the server; what it throws the first time passes on
    TlsReload(Supplier<TlsServer> how) {
        this.how = how;
        this.current = how.get();
    }

    /// Reads again. What cannot be used, a key that does not belong to its certificate, or a file that is half
    /// written, leaves everything as it is, with a line in the log. What is the same as before keeps its
    /// sessions.
    ///
    /// @return whether it could be read
    public synchronized boolean reload() {
        try {
            var next = how.get();
            if (!next.equals(current)) current = next;
            return true;
        } catch (IllegalArgumentException | UncheckedIOException e) {
            LOG.log(Level.WARNING, "TLS goes on as it is: " + e.getMessage());
            return false;
        }
    }

    @Override
    public Link open(Context context) {
        return current.open(context);
    }
}
