package io.millrace.lab.peer.httpcheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// An HTTP server that can be started in a JVM of its own.
///
/// @param name what a failure calls it
/// @param module its folder below `lab/peers`
/// @param mainClass the class in that module that starts it
/// @param arguments what it is told, beside where to listen
/// @param isAbleToClose whether it can do what `--close` asks for
record HttpPeer(String name, String module, String mainClass, List<String> arguments, boolean isAbleToClose) {
    /// In the order of the table.
    static final List<HttpPeer> ALL = List.of(
            peer("netty-nio", "netty", "NettyHttp", "--transport nio"),
            peer("netty-nio-pool", "netty", "NettyHttp", "--transport nio --handler pool:4"),
            peer("netty-epoll", "netty", "NettyHttp", "--transport epoll"),
            peer("netty-epoll-pool", "netty", "NettyHttp", "--transport epoll --handler pool:4"),
            peer("netty-io_uring", "netty", "NettyHttp", "--transport io_uring"),
            peer("netty-io_uring-pool", "netty", "NettyHttp", "--transport io_uring --handler pool:4"),
            peer("undertow", "undertow", "UndertowHttp", "--handler inline"),
            peer("undertow-pool", "undertow", "UndertowHttp", "--handler pool:4"),
            peer("jetty", "jetty", "JettyHttp", "--handler inline"),
            peer("jetty-pool", "jetty", "JettyHttp", "--handler pool:4"),
            peer("vertx-nio", "vertx", "VertxHttp", "--transport nio"),
            peer("vertx-nio-pool", "vertx", "VertxHttp", "--transport nio --handler pool:4"),
            peer("vertx-epoll", "vertx", "VertxHttp", "--transport epoll"),
            peer("vertx-epoll-pool", "vertx", "VertxHttp", "--transport epoll --handler pool:4"),
            peer("vertx-io_uring", "vertx", "VertxHttp", "--transport io_uring"),
            peer("vertx-io_uring-pool", "vertx", "VertxHttp", "--transport io_uring --handler pool:4"),
            peer("helidon", "helidon", "HelidonHttp", "--handler inline"),
            peer("grizzly", "grizzly", "GrizzlyHttp", "--handler inline"),
            peer("grizzly-pool", "grizzly", "GrizzlyHttp", "--handler pool:4"),
            peer("voovan", "voovan", "VoovanHttp", "--handler inline"),
            peer("t-io", "tio", "TioHttp", "--handler inline"),
            peer("t-io-pool", "tio", "TioHttp", "--handler pool:4"),
            peer("microhttp", "microhttp", "MicroHttp", "--handler inline").unableToClose(),
            peer("microhttp-pool", "microhttp", "MicroHttp", "--handler pool:4").unableToClose(),
            peer("jdk-httpserver", "jdk", "JdkHttp", "--handler inline"),
            peer("jdk-httpserver-pool", "jdk", "JdkHttp", "--handler pool:4"),
            peer("jdk-httpserver-virtual-threads", "jdk", "VirtualThreadHttp", "--handler inline"));

    /// Proxies, each in front of a backend that the test starts.
    static final List<HttpPeer> PROXIES = proxies();

    /// Those that the lab gives to every peer: `Peer.JVM_FLAGS`.
    private static final List<String> JVM_FLAGS = List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

    static HttpPeer named(String name) {
        return Stream.concat(ALL.stream(), PROXIES.stream())
                .filter(candidate -> candidate.name.equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<HttpPeer> proxies() {
        var all = new ArrayList<HttpPeer>();
        for (String transport : List.of("nio", "epoll", "io_uring")) {
            for (String loops : List.of("same", "shared", "own")) {
                String variant = transport + "-" + loops;
                String options = "--transport " + transport + " --upstream-loops " + loops + " --loops 2 --layer ";
                all.add(proxy("netty-4-" + variant, options + 4));
                all.add(proxy("netty-7-" + variant, options + 7));
                all.add(proxy("netty-7-" + variant + "-2000", options + "7 --aggregate-limit 2000"));
                all.add(proxy("netty-7-" + variant + "-100m", options + "7 --aggregate-limit 100000000"));
            }
        }
        for (String allocator : List.of("pooled", "unpooled")) {
            String options = "--transport epoll --allocator " + allocator + " --layer ";
            all.add(proxy("netty-4-epoll-same-" + allocator, options + 4));
            all.add(proxy("netty-7-epoll-same-" + allocator, options + 7));
        }
        return List.copyOf(all);
    }

    private static HttpPeer proxy(String name, String arguments) {
        return peer(name, "netty", "NettyProxy", arguments);
    }

    /// The command that starts it on a free port.
    List<String> command(String host, String... more) throws IOException {
        Path target = Path.of("..", module, "target").toAbsolutePath().normalize();
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_FLAGS);
        command.add("-cp");
        command.add(target.resolve("classes") + ":"
                + Files.readString(target.resolve("classpath.txt")).strip());
        command.add("io.millrace.lab.peer." + module + "." + mainClass);
        command.addAll(List.of("--host", host, "--port", "0"));
        command.addAll(arguments);
        command.addAll(List.of(more));
        return command;
    }

    private static HttpPeer peer(String name, String module, String mainClass, String arguments) {
        return new HttpPeer(name, module, mainClass, List.of(arguments.split(" ", -1)), true);
    }

    private HttpPeer unableToClose() {
        return new HttpPeer(name, module, mainClass, arguments, false);
    }
}
