package io.millrace.loop;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/// Names of hosts that somebody has configured. It waits for the name service.
public final class HostLookup {
    private HostLookup() {}

    /// An address whose host, if it is a name, has been looked up.
    ///
    /// @throws UnknownHostException with a sentence that names the host
    public static SocketAddress resolved(SocketAddress address) throws UnknownHostException {
        if (!(address instanceof InetSocketAddress inet) || !inet.isUnresolved()) return address;
        try {
            return new InetSocketAddress(InetAddress.getByName(inet.getHostString()), inet.getPort());
        } catch (UnknownHostException _) {
            throw new UnknownHostException("unknown host '" + inet.getHostString()
                    + "': check its spelling and the name service, or give its IP address");
        }
    }
}
