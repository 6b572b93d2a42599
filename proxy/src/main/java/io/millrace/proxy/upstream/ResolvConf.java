package io.millrace.proxy.upstream;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A machine's settings for names: resolv.conf(5) and hosts(5).
///
/// @param search suffixes to add to a name with fewer dots than `dots`, before the name itself is tried
record ResolvConf(List<InetSocketAddress> servers, List<String> search, int dots) {
    private static final int PORT = 53;
    private static final int MOST_SERVERS = 3;

    /// This machine's settings; empty if it has none.
    static ResolvConf ofSystem() {
        try {
            return parse(Files.readAllLines(Path.of("/etc/resolv.conf")));
        } catch (IOException _) {
            return parse(List.of());
        }
    }

    static ResolvConf parse(List<String> lines) {
        var servers = new ArrayList<InetSocketAddress>();
        var search = List.<String>of();
        int dots = 1;
        for (var line : lines) {
            var words = line.strip().split("\\s+", -1);
            var values = List.of(words).subList(1, words.length);
            switch (words[0]) {
                case "nameserver" ->
                    values.stream().limit(1).flatMap(ResolvConf::server).forEach(servers::add);
                case "search", "domain" -> search = values;
                case "options" -> dots = dots(values, dots);
                default -> {}
            }
        }
        return new ResolvConf(servers.stream().limit(MOST_SERVERS).toList(), search, dots);
    }

    private static Stream<InetSocketAddress> server(String text) {
        try {
            return Stream.of(new InetSocketAddress(InetAddress.ofLiteral(text), PORT));
        } catch (IllegalArgumentException _) {
            return Stream.of();
        }
    }

    private static int dots(List<String> options, int before) {
        for (var option : options) {
            if (option.matches("ndots:[0-9]{1,2}")) return Integer.parseInt(option.substring("ndots:".length()));
        }
        return before;
    }

    /// The names to ask for, in order, until one is known.
    ///
    /// @param name ends with a dot if no suffix may be added
    List<String> candidates(String name) {
        var bare = DnsMessage.checkedName(name);
        if (name.endsWith(".")) return List.of(bare);
        var longer = search.stream().map(suffix -> DnsMessage.checkedName(bare + "." + suffix));
        boolean isFirst = bare.chars().filter(letter -> letter == '.').count() >= dots;
        return (isFirst ? Stream.concat(Stream.of(bare), longer) : Stream.concat(longer, Stream.of(bare))).toList();
    }

    /// The addresses of a name in a file like /etc/hosts.
    static List<InetAddress> hosts(List<String> lines, String name) {
        var found = new ArrayList<InetAddress>();
        for (var line : lines) {
            int comment = line.indexOf('#');
            var words =
                    (comment < 0 ? line : line.substring(0, comment)).strip().split("\\s+", -1);
            boolean isMeant = Stream.of(words).skip(1).anyMatch(name::equalsIgnoreCase);
            if (isMeant) server(words[0]).map(InetSocketAddress::getAddress).forEach(found::add);
        }
        return found;
    }
}
