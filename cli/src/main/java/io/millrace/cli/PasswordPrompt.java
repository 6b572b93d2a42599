package io.millrace.cli;

import io.millrace.http.filter.PasswordHash;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;

/// `millrace proxy --hash-password`: makes the hash of a password for a configuration. The password is typed on a
/// terminal, unseen, or is the first line of the standard input; it is never an argument, which every process
/// could read.
record PasswordPrompt(InputStream in, PrintWriter out) {
    /// Reads the password, and writes its hash.
    ///
    /// @throws IOException with a sentence if there is no password
    void run() throws IOException {
        var password = read();
        try {
            if (password.length == 0)
                throw new IOException("there is no password: type one, or write it to the standard input");
            out.println(PasswordHash.of(password, new SecureRandom()).text());
            out.flush();
        } finally {
            Arrays.fill(password, '\0');
        }
    }

    private char[] read() throws IOException {
        var terminal = Optional.ofNullable(System.console()).filter(Console::isTerminal);
        if (terminal.isPresent()) {
            return Optional.ofNullable(terminal.get().readPassword("Password: "))
                    .orElseGet(() -> new char[0]);
        }
        var line = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
        return line == null ? new char[0] : line.toCharArray();
    }
}
