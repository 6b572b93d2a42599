package io.millrace.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/// Looks up hosts' addresses. May block: it is called on the JDK's virtual threads, by several at a time.
@FunctionalInterface
public interface Resolver {
    /// The addresses of a host, the preferred one first; at least one.
    ///
    /// @throws UnknownHostException when the host has none
    List<InetAddress> resolve(String host) throws UnknownHostException;

    /// The system's resolver: files, DNS, or whatever it is configured to use.
    static Resolver system() {
        return host -> List.of(InetAddress.getAllByName(host));
    }
}
