package io.millrace.lab;

/// Where a server of the lab is to be.
///
/// @param host the address to listen on
/// @param backend `HOST:PORT` of what a proxy passes on to; empty for servers that answer themselves
/// @param identity the folder of an [Identity], for servers over TLS; empty for those in the clear
record PeerSite(String host, String backend, String identity) {
    static PeerSite at(String host) {
        return new PeerSite(host, "", "");
    }

    /// With a server behind it.
    PeerSite inFrontOf(String server) {
        return new PeerSite(host, server, identity);
    }

    /// Over TLS.
    PeerSite as(Identity who) {
        return new PeerSite(host, backend, who.folder().toString());
    }

    /// Whether it is one over TLS.
    boolean isSecure() {
        return !identity.isEmpty();
    }

    /// A word of a command, with what it stands for.
    String fill(String word) {
        return word.replace("{host}", host).replace("{backend}", backend).replace("{identity}", identity);
    }
}
