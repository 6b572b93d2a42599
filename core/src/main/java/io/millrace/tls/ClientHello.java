package io.millrace.tls;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A TLS client's first message (RFC 8446 section 4.1.2, RFC 5246 section 7.4.1.2), as far as a server needs it to
/// choose its identity.
///
/// @param serverName   the server that the client asks for (RFC 6066 section 3), in lower case
/// @param applications its application protocols (RFC 7301), the preferred one first
/// @param offersTls13  whether TLS 1.3 is among its versions
record ClientHello(Optional<String> serverName, List<String> applications, boolean offersTls13) {
    static final int TYPE = 1;

    private static final int SERVER_NAME = 0;
    private static final int APPLICATIONS = 16;
    private static final int VERSIONS = 43;
    private static final int TLS13 = 0x0304;
    private static final int HOST_NAME = 0;
    private static final int MOST_NAME = 255;

    /// Reads a ClientHello.
    ///
    /// @param message the whole message, with type and length
    /// @throws BadHello when it is not a valid one
    static ClientHello of(byte[] message, int length) throws BadHello {
        var in = new Vector(message, 0, length);
        if (in.number(1) != TYPE) throw new BadHello("the first message is not a ClientHello");
        var hello = in.vector(3);
        in.requireEnd();
        // The version before TLS 1.3 and the random bytes.
        hello.skip(2 + 32);
        hello.vector(1);
        hello.vector(2);
        hello.vector(1);
        // TLS 1.2 allows a hello without extensions.
        var extensions = hello.isEmpty() ? hello : hello.vector(2);
        hello.requireEnd();
        return of(extensions);
    }

    private static ClientHello of(Vector extensions) throws BadHello {
        Optional<String> name = Optional.empty();
        List<String> applications = List.of();
        boolean offersTls13 = false;
        long seen = 0;
        while (!extensions.isEmpty()) {
            int type = extensions.number(2);
            var body = extensions.vector(2);
            if (type >= Long.SIZE) continue;
            if ((seen & (1L << type)) != 0) throw new BadHello("extension " + type + " occurs twice");
            seen |= 1L << type;
            switch (type) {
                case SERVER_NAME -> name = Optional.of(serverName(body));
                case APPLICATIONS -> applications = applications(body);
                case VERSIONS -> offersTls13 = offersTls13(body);
                default -> {}
            }
        }
        return new ClientHello(name, applications, offersTls13);
    }

    private static String serverName(Vector body) throws BadHello {
        var names = body.vector(2);
        body.requireEnd();
        if (names.number(1) != HOST_NAME) throw new BadHello("a server name that is not a host name");
        var name = names.vector(2).text();
        names.requireEnd();
        if (!isHost(name)) throw new BadHello("an invalid server name");
        return name.toLowerCase(Locale.ROOT);
    }

    private static boolean isHost(String name) {
        return !name.isEmpty()
                && name.length() <= MOST_NAME
                && name.chars().allMatch(ClientHello::isOfHost)
                && name.charAt(0) != '.'
                && !name.endsWith(".");
    }

    private static boolean isOfHost(int c) {
        return c < 0x80 && (Character.isLetterOrDigit(c) || c == '-' || c == '.' || c == '_');
    }

    private static List<String> applications(Vector body) throws BadHello {
        var all = body.vector(2);
        body.requireEnd();
        var found = new ArrayList<String>();
        while (!all.isEmpty()) {
            var name = all.vector(1).text();
            if (name.isEmpty()) throw new BadHello("an application protocol without a name");
            found.add(name);
        }
        return found;
    }

    private static boolean offersTls13(Vector body) throws BadHello {
        var versions = body.vector(1);
        body.requireEnd();
        boolean isOffered = false;
        while (!versions.isEmpty()) isOffered |= versions.number(2) == TLS13;
        return isOffered;
    }

    /// The hello cannot be read.
    static final class BadHello extends Exception {
        private static final long serialVersionUID = 1;

        BadHello(String message) {
            super(message, null, false, false);
        }
    }

    /// A sequence of bytes, and vectors of them with a length in front.
    private static final class Vector {
        private final byte[] bytes;
        private int at;
        private final int end;

        Vector(byte[] bytes, int at, int end) {
            this.bytes = bytes;
            this.at = at;
            this.end = end;
        }

        boolean isEmpty() {
            return at == end;
        }

        int number(int length) throws BadHello {
            require(length);
            int number = 0;
            for (int i = 0; i < length; i++) number = (number << 8) | (bytes[at++] & 0xff);
            return number;
        }

        Vector vector(int lengthBytes) throws BadHello {
            int length = number(lengthBytes);
            require(length);
            at += length;
            return new Vector(bytes, at - length, at);
        }

        void skip(int length) throws BadHello {
            require(length);
            at += length;
        }

        String text() {
            return new String(bytes, at, end - at, StandardCharsets.ISO_8859_1);
        }

        void requireEnd() throws BadHello {
            if (!isEmpty()) throw new BadHello((end - at) + " bytes too many in a ClientHello");
        }

        private void require(int length) throws BadHello {
            if (length > end - at)
                throw new BadHello("a ClientHello that ends " + (length - end + at) + " bytes early");
        }
    }
}
