package io.millrace.lab;

/// Where a server of the lab is to be.
///
/// @param host the address to listen on
/// @param backend `HOST:PORT` of what a proxy passes on to; empty for servers that answer themselves
/// @param identity the folder of an [Identity], for servers over TLS; empty for those in the clear
record Site(String host, String backend, String identity) {
    static Site at(String host) {
        return new Site(host, "", "");
    }

    /// With a server behind it.
    Site inFrontOf(String server) {
        return new Site(host, server, identity);
    }

    /// Over TLS.
    Site as(Identity who) {
        return new Site(host, backend, who.folder().toString());
    }

    /// A word of a command, with what it stands for.
    String fill(String word) {
        return word.replace("{host}", host).replace("{backend}", backend).replace("{identity}", identity);
    }
}
