package io.millrace.transport;

import io.millrace.transport.Transport.ListenOptions;
import java.io.IOException;

/// What a transport can do besides when its listeners are descriptors, which processes pass to each other. By the
/// loop's thread.
public interface ListenerDescriptors {
    /// Listens on what another process has bound and listens on, too: its options are those of `options` from now
    /// on, as far as they can change. Accepting starts with [Transport#receive]. The descriptor is the transport's,
    /// also when this fails. Closing it leaves the socket and its path as they are, until [#unshare].
    ///
    /// @return the listener's number
    int listen(int descriptor, ListenOptions options) throws IOException;

    /// A further descriptor of a listener, for another process; the caller closes it. From now on closing the
    /// listener leaves the socket and its path as they are, until [#unshare].
    ///
    /// @throws IOException when there is none left
    int share(int listener) throws IOException;

    /// No other process has the listener any more.
    void unshare(int listener);

    /// Accepts nothing more from a listener that another process goes on with. What was accepted by then is
    /// delivered, and behind it `ended`; none of those that wait in the kernel is lost.
    void leave(int listener);
}
