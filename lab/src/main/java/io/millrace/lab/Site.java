package io.millrace.lab;

/// Where a server of the lab is to be.
///
/// @param host the address to listen on
/// @param backend `HOST:PORT` of what a proxy passes on to; empty for servers that answer themselves
record Site(String host, String backend) {
    static Site at(String host) {
        return new Site(host, "");
    }
}
