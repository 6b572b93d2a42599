package io.millrace.lab;

import io.millrace.lab.Candidate.Kind;
import io.millrace.lab.process.ServerCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A server that the lab can start in a JVM of its own.
///
/// @param name what tables call it
/// @param module its folder below `lab/peers`; [#MILLRACE] is what the lab is part of
/// @param mainClass the class in that module that starts it
/// @param arguments its options; `{host}` stands for the address to listen on, `{threads}` for the size of the pool,
/// `{backend}`
///     for `HOST:PORT` of what a proxy stands in front of
record MeasuredPeer(String name, Kind kind, String module, String mainClass, List<String> arguments) {
    /// The same for every peer: some use JDK internals and are slower, or do not run, without access. The
    /// collector is fixed because a JVM on one core would choose another than on two.
    static final List<String> JVM_FLAGS = List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

    static final String MILLRACE = "millrace";

    /// The program.
    static final String MAIN = "io.millrace.cli.Main";

    /// @param command of the program, which starts a server
    static MeasuredPeer millrace(String name, Kind kind, String command, String arguments) {
        var all = command + " --listen {host}:0 --loops 1 " + arguments;
        return new MeasuredPeer(name, kind, MILLRACE, MAIN, words(all));
    }

    static MeasuredPeer foreign(String name, Kind kind, String module, String mainClass, String arguments) {
        var all = "--host {host} --port 0 " + arguments;
        return new MeasuredPeer(name, kind, module, "io.millrace.lab.peer." + module + "." + mainClass, words(all));
    }

    /// With more options.
    MeasuredPeer with(List<String> more) {
        var all = Stream.concat(arguments.stream(), more.stream()).toList();
        return new MeasuredPeer(name, kind, module, mainClass, all);
    }

    static List<String> words(String text) {
        return List.of(text.split(" ", -1));
    }

    boolean isMillrace() {
        return module.equals(MILLRACE);
    }

    /// A sentence when it was not built; otherwise empty.
    String unavailableBecause(Path peers) {
        if (isMillrace() || Files.exists(libraries(peers))) return "";
        return "is not built: there is no " + libraries(peers) + "; run ./millrace mvn -q -f lab/peers/pom.xml package";
    }

    /// The command that starts it. It prints `listening on HOST:PORT` as the only line of its standard output.
    ///
    /// @param peers the folder `lab/peers`, built
    /// @param site the address to listen on, and what `{backend}` stands for
    /// @param poolThreads what `{threads}` stands for
    ServerCommand command(Path peers, PeerSite site, int poolThreads) throws IOException {
        var options = arguments.stream()
                .map(argument -> site.fill(argument).replace("{threads}", Integer.toString(poolThreads)))
                .toList();
        return new ServerCommand(
                name, isMillrace() ? own(mainClass, options) : foreign(peers, options), Optional.empty());
    }

    /// A command of ours, with every peer's flags.
    static List<String> own(String mainClass, List<String> options) {
        return OwnJvm.command(JVM_FLAGS, mainClass, options);
    }

    private List<String> foreign(Path peers, List<String> options) throws IOException {
        var command = new ArrayList<String>();
        command.add(OwnJvm.java().toString());
        command.addAll(JVM_FLAGS);
        command.add("-cp");
        command.add(target(peers).resolve("classes") + ":"
                + Files.readString(libraries(peers)).strip());
        command.add(mainClass);
        command.addAll(options);
        return command;
    }

    private Path libraries(Path peers) {
        return target(peers).resolve("classpath.txt");
    }

    private Path target(Path peers) {
        return peers.resolve(module).resolve("target");
    }
}
