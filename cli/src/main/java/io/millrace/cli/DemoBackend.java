package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// A backend of the demo, which can be stopped and started again at the same address. Used by one thread.
final class DemoBackend implements AutoCloseable {
    private final EventLoops loops;
    private final Response page;
    private final SocketAddress address;
    private @Nullable Server server;

    private DemoBackend(String name, EventLoops loops) {
        this.loops = loops;
        this.page = Response.ok("This is backend " + name + ".\n");
        var first = serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        this.server = first;
        this.address = first.address();
    }

    /// Serves on a free port.
    static DemoBackend start(String name, EventLoops loops) {
        return new DemoBackend(name, loops);
    }

    private Server serve(SocketAddress at) {
        return Http.listen(Listen.on(at).loops(loops), _ -> page);
    }

    SocketAddress address() {
        return address;
    }

    /// Stops it at once, with all its connections, or starts it again.
    ///
    /// @return whether it serves now
    boolean toggle() {
        if (server == null) server = serve(address);
        else close();
        return server != null;
    }

    @Override
    public void close() {
        if (server != null) server.close();
        server = null;
    }
}
