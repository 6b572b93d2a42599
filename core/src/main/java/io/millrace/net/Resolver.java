package io.millrace.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/// Looks up the addresses of hosts. May block: it is called on a thread of the JDK's, and by several at a time.
@FunctionalInterface
public interface Resolver {
    /// The addresses of a host, the preferred one first; at least one.
    ///
    /// @throws UnknownHostException when the host has none
    List<InetAddress> resolve(String host) throws UnknownHostException;

    /// What the system says: files, DNS, whatever it is configured to ask.
    static Resolver system() {
        return host -> List.of(InetAddress.getAllByName(host));
    }
}
