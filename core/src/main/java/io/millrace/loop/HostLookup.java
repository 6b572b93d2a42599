package io.millrace.loop;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/// Looks up configured host names. Waits for the name service.
public final class HostLookup {
    private HostLookup() {}

    /// The address with its host looked up, if that is a name.
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
