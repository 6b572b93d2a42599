package io.millrace.lab.process;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/// How a server is started. It stays in the foreground until a signal ends it.
///
/// @param name what sentences about it call it
/// @param words the program and its arguments
/// @param listensAt where it will listen, for a server that does not print `listening on HOST:PORT` once it does: an
///     address of this machine, or of the network namespace it runs in
public record ServerCommand(String name, List<String> words, Optional<InetSocketAddress> listensAt) {
    public ServerCommand {
        words = List.copyOf(words);
        if (words.isEmpty()) {
            throw new IllegalArgumentException("the command of " + name + " is empty; name the program to start");
        }
    }
}
