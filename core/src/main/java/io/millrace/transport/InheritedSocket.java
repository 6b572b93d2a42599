package io.millrace.transport;

import static io.millrace.os.Constants.FD_CLOEXEC;
import static io.millrace.os.Constants.F_DUPFD_CLOEXEC;
import static io.millrace.os.Constants.F_SETFD;
import static io.millrace.os.Constants.F_SETFL;
import static io.millrace.os.Constants.SOCK_NONBLOCK;
import static io.millrace.os.Constants.SOCK_STREAM;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_ACCEPTCONN;
import static io.millrace.os.Constants.SO_TYPE;

import io.millrace.os.Linux;
import java.io.IOException;
import java.net.SocketAddress;

/// A listening socket that this process was started with. Any thread.
///
/// @param descriptor open as long as the process runs
/// @param name the manager's name of it, or an empty one
/// @param address where it is bound
public record InheritedSocket(int descriptor, String name, SocketAddress address) {
    /// Makes a descriptor usable.
    ///
    /// @throws IOException when the descriptor is no socket that accepts connections, with the remedy
    public static InheritedSocket at(int descriptor, String name) throws IOException {
        var linux = new Linux();
        boolean isStream = linux.getsockopt(descriptor, SOL_SOCKET, SO_TYPE) == SOCK_STREAM;
        if (!isStream || linux.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN) != 1) {
            throw new IOException("descriptor " + descriptor + (name.isEmpty() ? "" : " (" + name + ")")
                    + " of LISTEN_FDS is not a listening stream socket: use ListenStream= and Accept=no");
        }
        linux.fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        // Of the socket, which the manager shares: it does not read from it itself.
        linux.fcntl(descriptor, F_SETFL, SOCK_NONBLOCK);
        return new InheritedSocket(descriptor, name, DescriptorSocket.addressOf(descriptor));
    }

    /// Another descriptor of it, which the caller closes.
    public int duplicate() throws IOException {
        return LinuxSockets.checked(new Linux().fcntl(descriptor, F_DUPFD_CLOEXEC, 0), "cannot use " + address);
    }
}
