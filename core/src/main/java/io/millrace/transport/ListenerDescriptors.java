package io.millrace.transport;

import io.millrace.transport.Transport.ListenOptions;
import java.io.IOException;

/// Additional abilities of a transport whose listeners are descriptors, which processes pass to each other. By
/// the loop's thread.
public interface ListenerDescriptors {
    /// Listens on a socket that another process has bound and still listens on; `options` apply from now on, as
    /// far as they can change. Accepting starts with [Transport#receive]. The transport owns the descriptor,
    /// also when this fails. Closing it leaves the socket and its path as they are, until [#unshare].
    ///
    /// @return the listener's number
    int listen(int descriptor, ListenOptions options) throws IOException;

    /// Another descriptor of a listener, for another process; the caller closes it. From now on closing the
    /// listener leaves the socket and its path as they are, until [#unshare].
    ///
    /// @throws IOException when no descriptor is left
    int share(int listener) throws IOException;

    /// No other process shares the listener any longer.
    void unshare(int listener);

    /// Stops accepting from a listener that another process has taken over. Connections accepted so far are
    /// delivered, then `ended`; none of those that wait in the kernel is lost.
    void leave(int listener);
}
