package io.millrace.http.client;

import io.millrace.http.Headers;
import io.millrace.http.h1.ConnectTunnel;
import io.millrace.http.message.Origin;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.Stage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A proxy for a client's requests: for `https` with a tunnel (`CONNECT`, RFC 9110 section 9.3.6), where the
/// proxy sees only the host; for `http` with the whole URI (RFC 9112 section 3.2.2), where it sees everything.
/// Immutable: a property is set by its name, which returns a copy.
///
/// ```java
/// var proxy = ForwardProxy.at("proxy.internal", 3128)
///         .credentials("app", password)
///         .except("localhost", "internal", "10.1.2.3");
/// HttpClient.of(ClientSettings.standard().proxy(proxy))
/// ```
/// Each origin has connections of its own, as without a proxy, and the credentials are in no request that an
/// origin gets. A proxy that refuses a tunnel, with 407 for instance, fails the call with
/// [io.millrace.net.Refused], which has its status; for `http` its answer is the caller's.
@CheckReturnValue
public final class ForwardProxy {
    private final String host;
    private final int port;
    private final Headers fields;

    /// In small letters.
    private final List<String> excepted;

    private ForwardProxy(String host, int port, Headers fields, List<String> excepted) {
        this.host = host;
        this.port = port;
        this.fields = fields;
        this.excepted = excepted;
    }

    /// A proxy by its address, or by its name, which is looked up when a connection is made.
    ///
    /// @throws IllegalArgumentException for an invalid port, or an empty host
    public static ForwardProxy at(String host, int port) {
        if (port < 1 || port > 0xffff) throw new IllegalArgumentException("port " + port + ": take 1 to 65535");
        if (host.isBlank() || host.contains("/"))
            throw new IllegalArgumentException(
                    "'" + host + "' is not a host: use a name or an address, without http://");
        return new ForwardProxy(host, port, Headers.EMPTY, List.of());
    }

    /// The credentials for the proxy (`Proxy-Authorization: Basic`, RFC 7617), in UTF-8.
    ///
    /// @throws IllegalArgumentException for a user with a colon, and for control characters
    public ForwardProxy credentials(String user, String password) {
        boolean isFine = !user.contains(":") && (user + password).chars().noneMatch(Character::isISOControl);
        if (!isFine)
            throw new IllegalArgumentException(
                    "proxy credentials: leave out the colon in the user, and control characters");
        var pair = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        return new ForwardProxy(host, port, Headers.EMPTY.with("Proxy-Authorization", "Basic " + pair), excepted);
    }

    /// More hosts that are reached without the proxy: a name, with all names below it, or an address; spelled as
    /// in a URI, without a port.
    ///
    /// @throws IllegalArgumentException for an empty host, or one with a port, a slash or an asterisk
    public ForwardProxy except(String... hosts) {
        var all = new ArrayList<>(excepted);
        for (var one : hosts) all.add(checked(one));
        return new ForwardProxy(host, port, fields, List.copyOf(all));
    }

    private static String checked(String given) {
        var name = given.startsWith(".") ? given.substring(1) : given;
        boolean isAddress = name.indexOf(':') != name.lastIndexOf(':');
        if (name.isBlank() || name.contains("/") || name.contains("*") || (name.contains(":") && !isAddress))
            throw new IllegalArgumentException("a proxy for all hosts except '" + given
                    + "': use a name like example.org, which includes the names below it, or an address");
        return name.replace("[", "").replace("]", "").toLowerCase(Locale.ROOT);
    }

    public List<String> except() {
        return excepted;
    }

    // For the client.

    boolean takes(Origin origin) {
        var name = origin.host().endsWith(".")
                ? origin.host().substring(0, origin.host().length() - 1)
                : origin.host();
        return excepted.stream().noneMatch(one -> name.equals(one) || name.endsWith("." + one));
    }

    InetSocketAddress address() {
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(host), port);
        } catch (IllegalArgumentException _) {
            return InetSocketAddress.createUnresolved(host, port);
        }
    }

    /// Fields added to requests for this origin; empty if the proxy does not see the requests.
    Optional<Headers> forwarding(Origin origin) {
        return origin.isSecure() || !takes(origin) ? Optional.empty() : Optional.of(fields);
    }

    Stage tunnel(Origin origin) {
        return new ConnectTunnel(origin, fields);
    }

    /// Without credentials.
    @Override
    public String toString() {
        return host + ":" + port + (excepted.isEmpty() ? "" : " but for " + excepted);
    }
}
