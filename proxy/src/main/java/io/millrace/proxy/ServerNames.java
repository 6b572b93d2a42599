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

/// Routes TLS connections by the name that the client asks for (SNI, RFC 6066 section 3), decrypted before
/// or forwarded as they are.
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

    /// Names without entries so far: connections for unknown names are reset (`tunnel.upstream`).
    public static ServerNames of() {
        return new ServerNames(Map.of(), Optional.empty());
    }

    /// The handler of connections for a name.
    ///
    /// @param name a host, or `*.` and a host for all names with one more label
    public ServerNames name(String name, HandlerFactory where) {
        var more = new HashMap<>(names);
        more.put(name.toLowerCase(Locale.ROOT), where);
        return new ServerNames(Map.copyOf(more), others);
    }

    /// The handler of connections for other names, and for no name.
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
                client.remote(),
                name.map(asked -> "there is no upstream for " + asked).orElse("it asks for no name"));
        client.abort();
        return in -> in.skip(in.remaining());
    }

    /// The wildcard that covers a name.
    private static String wildcard(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : "*" + name.substring(dot);
    }

    /// The handler's connections may be tunnels.
    @Override
    public boolean needsLoop() {
        return true;
    }
}
