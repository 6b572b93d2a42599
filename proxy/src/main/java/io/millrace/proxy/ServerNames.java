package io.millrace.proxy;

import io.millrace.loop.CoreGuards;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Security;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Connections of TLS by the name that their client asks for (SNI, RFC 6066 section 3), decrypted before or passed on
/// as
/// they are.
///
/// ```java
/// var names = ServerNames.of().name("a.example", TcpUpstream.of("10.0.0.1:443")).name("*.b.example", others);
/// Tcp.listen(Listen.on(443).through(Tls.passing()), names);
/// ```
/// Immutable; each method returns a copy. Any thread.
public final class ServerNames implements HandlerFactory {
    private final Map<String, HandlerFactory> names;
    private final Optional<HandlerFactory> others;

    private ServerNames(Map<String, HandlerFactory> names, Optional<HandlerFactory> others) {
        this.names = names;
        this.others = others;
    }

    /// Nobody, so far: connections that ask for somebody else are reset (`tunnel.upstream`).
    public static ServerNames of() {
        return new ServerNames(Map.of(), Optional.empty());
    }

    /// Where connections for a name go.
    ///
    /// @param name of a host, or `*.` and one, which stands for all names with one label more
    public ServerNames name(String name, HandlerFactory where) {
        var more = new HashMap<>(names);
        more.put(name.toLowerCase(Locale.ROOT), where);
        return new ServerNames(Map.copyOf(more), others);
    }

    /// Where connections for other names go, and those for none.
    public ServerNames others(HandlerFactory where) {
        return new ServerNames(names, Optional.of(where));
    }

    @Override
    public Handler open(Connection client) {
        var name = client.security().flatMap(Security::serverName);
        var found = name.map(names::get)
                .or(() -> name.map(ServerNames::wildcard).map(names::get))
                .or(() -> others);
        if (found.isPresent()) return found.get().open(client);
        CoreGuards.UPSTREAM.acted(
                client.remote(), name.map(asked -> "nobody here is " + asked).orElse("it asks for no name"));
        client.abort();
        return in -> in.skip(in.remaining());
    }

    /// What stands for a name and those beside it.
    private static String wildcard(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : "*" + name.substring(dot);
    }

    /// Its connections may be tunnels.
    @Override
    public boolean needsLoop() {
        return true;
    }
}
