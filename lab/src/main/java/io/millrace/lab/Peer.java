package io.millrace.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// An echo server that the lab can start in a JVM of its own.
///
/// @param name what tables call it
/// @param module its folder below `lab/peers`
/// @param mainClass the class in that module that starts it
/// @param arguments its options; `{threads}` stands for the size of the pool
record Peer(String name, String module, String mainClass, List<String> arguments) {
    /// The same for every peer: some reach into the JDK and are slower, or do not run, where that is closed to them.
    static final List<String> JVM_FLAGS = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

    /// The command that starts it. It prints `listening on 127.0.0.1:PORT` as the only line of its standard output.
    ///
    /// @param java the program `java`
    /// @param peers the folder `lab/peers`, built
    /// @param poolThreads what `{threads}` stands for
    /// @throws IOException when the peer was not built
    List<String> command(Path java, Path peers, int poolThreads) throws IOException {
        Path target = peers.resolve(module).resolve("target");
        Path libraries = target.resolve("classpath.txt");
        if (!Files.exists(libraries)) {
            throw new IOException("peer " + name + " is not built: there is no " + libraries
                    + "; run ./millrace mvn -q -f lab/peers/pom.xml package");
        }
        var command = new ArrayList<String>();
        command.add(java.toString());
        command.addAll(JVM_FLAGS);
        command.add("-cp");
        command.add(
                target.resolve("classes") + ":" + Files.readString(libraries).strip());
        command.add(mainClass);
        for (var argument : arguments) {
            command.add(argument.replace("{threads}", Integer.toString(poolThreads)));
        }
        return command;
    }
}
