package io.millrace.os;

import static io.millrace.os.Constants.AF_INET;
import static io.millrace.os.Constants.AF_INET6;
import static io.millrace.os.Constants.AF_UNIX;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.util.Arrays;

/// Java's socket addresses as the kernel's `struct sockaddr_in` (ip(7)), `sockaddr_in6` (ipv6(7)) and
/// `sockaddr_un` (unix(7)), and back. Any thread may call.
///
/// No switch over types: every server passes here when it starts, and the JDK would make a class for each of them.
public final class SocketAddresses {
    private static final int FAMILY = 0;
    private static final int PORT = 2;

    private static final int IN_ADDR = 4;
    private static final int IN_SIZE = 16;

    /// The rest is padding.
    static final int IN_USED = IN_ADDR + 4;

    private static final int IN6_ADDR = 8;
    private static final int IN6_SCOPE_ID = 24;
    private static final int IN6_SIZE = 28;

    private static final int UN_PATH = 2;
    private static final int UN_PATH_SIZE = 108;

    // Paths are spelled in bytes the way java.nio.file spells them, so that both mean the same file.
    private static final Charset PATH_CHARSET = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private SocketAddresses() {}

    /// The family of socket that reaches `socketAddress`: `AF_INET`, `AF_INET6` or `AF_UNIX`.
    ///
    /// @throws UnknownHostException when the host has not been resolved
    /// @throws SocketException when it is no address of these three families
    public static int family(SocketAddress socketAddress) throws IOException {
        if (socketAddress instanceof UnixDomainSocketAddress) return AF_UNIX;
        if (!(socketAddress instanceof InetSocketAddress inet)) throw unsupported(socketAddress);
        return resolved(inet) instanceof Inet4Address ? AF_INET : AF_INET6;
    }

    /// The struct for a socket of `family`. A socket of `AF_INET6` also takes IPv4 addresses: the wildcard
    /// becomes `::` and any other is mapped (`::ffff:a.b.c.d`), as a dual-stack socket wants them.
    ///
    /// @throws UnknownHostException when the host has not been resolved
    /// @throws SocketException when the address does not fit the family, or a path does not fit the struct
    public static byte[] encode(SocketAddress socketAddress, int family) throws IOException {
        if (socketAddress instanceof UnixDomainSocketAddress unix) {
            if (family == AF_UNIX) return encodePath(unix);
        } else if (socketAddress instanceof InetSocketAddress inet) {
            if (family == AF_INET6) return encodeV6(resolved(inet), inet.getPort());
            if (family == AF_INET && resolved(inet) instanceof Inet4Address v4) return encodeV4(v4, inet.getPort());
        } else {
            throw unsupported(socketAddress);
        }
        throw new SocketException("address " + socketAddress + " does not fit a socket of family " + family
                + "; open the socket in the family of its address");
    }

    private static InetAddress resolved(InetSocketAddress inet) throws UnknownHostException {
        InetAddress address = inet.getAddress();
        if (address == null) {
            throw new UnknownHostException("host '" + inet.getHostString() + "' (port " + inet.getPort()
                    + ") is not resolved; check its spelling and the name service, or give its IP address");
        }
        return address;
    }

    private static SocketException unsupported(SocketAddress socketAddress) {
        return new SocketException("address " + socketAddress + " of " + socketAddress.getClass()
                + " is none that Linux sockets know here; use InetSocketAddress or UnixDomainSocketAddress");
    }

    private static byte[] encodePath(UnixDomainSocketAddress unix) throws SocketException {
        String text = unix.getPath().toString();
        byte[] path = text.getBytes(PATH_CHARSET);
        if (path.length == 0) {
            throw new SocketException("a Unix socket's path is empty; name a file");
        }
        if (path.length >= UN_PATH_SIZE) {
            throw new SocketException("the Unix socket path '" + text + "' has " + path.length
                    + " bytes and Linux takes at most " + (UN_PATH_SIZE - 1) + "; use a shorter or a relative path");
        }
        var struct = new byte[UN_PATH + path.length + 1];
        inFamily(AF_UNIX, struct).put(UN_PATH, path);
        return struct;
    }

    /// The struct of an abstract Unix address: a zero byte and the name, as long as it is, without an end.
    static byte[] encodeAbstract(String name) throws SocketException {
        byte[] bytes = name.getBytes(PATH_CHARSET);
        if (bytes.length < 1 || bytes.length >= UN_PATH_SIZE) {
            throw new SocketException("the abstract Unix address '@" + name + "' has " + bytes.length
                    + " bytes behind the @, and Linux takes 1 to " + (UN_PATH_SIZE - 1));
        }
        var struct = new byte[UN_PATH + 1 + bytes.length];
        inFamily(AF_UNIX, struct).put(UN_PATH + 1, bytes);
        return struct;
    }

    private static byte[] encodeV4(Inet4Address address, int port) {
        var struct = new byte[IN_SIZE];
        inFamily(AF_INET, struct).put(IN_ADDR, address.getAddress());
        putPort(struct, port);
        return struct;
    }

    private static byte[] encodeV6(InetAddress address, int port) {
        var struct = new byte[IN6_SIZE];
        ByteBuffer buffer = inFamily(AF_INET6, struct);
        if (address instanceof Inet6Address v6) {
            buffer.put(IN6_ADDR, v6.getAddress()).putInt(IN6_SCOPE_ID, v6.getScopeId());
        } else if (!address.isAnyLocalAddress()) {
            buffer.putShort(IN6_ADDR + 10, (short) -1).put(IN6_ADDR + 12, address.getAddress());
        }
        putPort(struct, port);
        return struct;
    }

    private static ByteBuffer inFamily(int family, byte[] struct) {
        return ByteBuffer.wrap(struct).order(ByteOrder.nativeOrder()).putShort(FAMILY, (short) family);
    }

    private static void putPort(byte[] struct, int port) {
        // Network byte order, unlike everything around it.
        struct[PORT] = (byte) (port >>> 8);
        struct[PORT + 1] = (byte) port;
    }

    /// The unspecified address of the same family: the wildcard with port 0, or the unnamed Unix socket.
    public static byte[] nobody(byte[] struct) {
        boolean isUnix = familyOf(struct) == AF_UNIX;
        return inFamily(familyOf(struct), new byte[isUnix ? Short.BYTES : struct.length])
                .array();
    }

    /// Whether a listener at this address takes connections to every address of the machine.
    public static boolean isWildcard(byte[] struct) {
        return switch (familyOf(struct)) {
            case AF_INET -> isZero(struct, IN_ADDR, 4);
            case AF_INET6 -> isZero(struct, IN6_ADDR, 16);
            default -> false;
        };
    }

    private static boolean isZero(byte[] struct, int at, int length) {
        for (int i = at; i < at + length; i++) if (struct[i] != 0) return false;
        return true;
    }

    /// The family of a struct, `AF_INET` and its like.
    public static int familyOf(byte[] struct) {
        return struct.length < Short.BYTES
                ? -1
                : ByteBuffer.wrap(struct).order(ByteOrder.nativeOrder()).getShort(FAMILY);
    }

    /// The address in `struct`, which is as long as the kernel said, with or without padding. A mapped IPv4 address
    /// comes back as IPv4,
    /// the unnamed Unix socket as the empty path, an abstract one as its name with `@` for each zero byte.
    ///
    /// @throws IllegalArgumentException when it is no struct of these three families
    public static SocketAddress decode(byte[] struct) {
        var buffer = ByteBuffer.wrap(struct).order(ByteOrder.nativeOrder());
        int family = familyOf(struct);
        if (family == AF_INET && struct.length >= IN_USED) {
            return new InetSocketAddress(inet(Arrays.copyOfRange(struct, IN_ADDR, IN_ADDR + 4), 0), port(struct));
        }
        if (family == AF_INET6 && struct.length >= IN6_SIZE) {
            byte[] address = Arrays.copyOfRange(struct, IN6_ADDR, IN6_ADDR + 16);
            return new InetSocketAddress(inet(address, buffer.getInt(IN6_SCOPE_ID)), port(struct));
        }
        if (family == AF_UNIX) {
            return UnixDomainSocketAddress.of(path(Arrays.copyOfRange(struct, UN_PATH, struct.length)));
        }
        throw new IllegalArgumentException("a struct sockaddr of " + struct.length + " bytes and family " + family
                + " is neither sockaddr_in, sockaddr_in6 nor sockaddr_un");
    }

    private static InetAddress inet(byte[] address, int scopeId) {
        try {
            InetAddress plain = InetAddress.getByAddress(address);
            return plain instanceof Inet6Address && scopeId != 0
                    ? Inet6Address.getByAddress(null, address, scopeId)
                    : plain;
        } catch (UnknownHostException impossible) {
            throw new AssertionError(address.length + " bytes are no IP address", impossible);
        }
    }

    private static int port(byte[] struct) {
        return Byte.toUnsignedInt(struct[PORT]) << 8 | Byte.toUnsignedInt(struct[PORT + 1]);
    }

    private static String path(byte[] path) {
        boolean isAbstract = path.length > 0 && path[0] == 0;
        int length = isAbstract ? path.length : lengthToZero(path);
        String text = new String(path, 0, length, PATH_CHARSET).replace('\0', '@');
        // A peer may have bound to bytes that are not text here, from which no Path can be made.
        return text.indexOf('\uFFFD') < 0 ? text : escaped(path, length);
    }

    private static int lengthToZero(byte[] path) {
        int length = 0;
        while (length < path.length && path[length] != 0) {
            length++;
        }
        return length;
    }

    private static String escaped(byte[] path, int length) {
        var text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            boolean isPlain = path[i] > 0;
            text.append(isPlain ? String.valueOf((char) path[i]) : String.format("\\x%02x", path[i]));
        }
        return text.toString();
    }
}
