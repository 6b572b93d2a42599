package io.millrace.lab.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/// Allocates as many megabytes as it is told by a line, and answers with a line.
final class Allocator {
    /// Keeps the compiler from leaving it out.
    private static volatile byte[] last = new byte[0];

    private Allocator() {}

    public static void main(String[] arguments) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            for (int i = Integer.parseInt(line); i > 0; i--) {
                last = new byte[1_000_000];
            }
            System.out.println("done");
        }
        System.out.println(last.length);
    }
}
