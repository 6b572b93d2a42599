package io.millrace.lab.process;

import static java.util.stream.Collectors.joining;

import io.millrace.testing.Waiting;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/// A lab for its end to be watched: starts a server, prints which processes it has, and does what it is told.
final class ToyLab {
    private ToyLab() {}

    public static void main(String[] arguments) throws Exception {
        var script = arguments[0];
        switch (arguments[1]) {
            case "stay" -> stay(script);
            case "pause" -> pause(script);
            case "return" -> untilInputEnds(script);
            case "start" -> startForEver(script);
            case "start-in-the-end" -> startInTheEnd(script);
            default -> throw new IllegalArgumentException(arguments[1]);
        }
    }

    private static void stay(String script) throws IOException, InterruptedException {
        print(Servers.start(script));
        new CountDownLatch(1).await();
    }

    private static void pause(String script) throws IOException, InterruptedException {
        var server = Servers.start(script);
        server.pause();
        print(server);
        new CountDownLatch(1).await();
    }

    private static void untilInputEnds(String script) throws IOException, InterruptedException {
        print(Servers.start(script));
        int ignored = System.in.read();
    }

    /// The server never greets, so `start` does not return.
    private static void startForEver(String script) throws InterruptedException {
        Thread.ofPlatform().daemon().start(() -> {
            while (ProcessHandle.current().descendants().count() < 3) {
                Waiting.briefly();
            }
            System.out.println(pids(ProcessHandle.current().descendants()));
        });
        try (var server = Servers.start(script)) {
            System.out.println(server.lastWords());
        } catch (IOException killed) {
            // By the end of this JVM, which the test is about.
        }
    }

    private static void startInTheEnd(String script) throws IOException, InterruptedException {
        var server = Servers.start(script);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> startUntilRefused(server)));
    }

    private static void startUntilRefused(ServerProcess server) {
        try {
            while (server.pid() > 0) {
                Children.start(new ProcessBuilder(List.of("true"))).waitFor();
            }
        } catch (IOException | InterruptedException refused) {
            System.out.println("it refused: " + refused.getMessage());
        }
    }

    private static void print(ServerProcess server) {
        System.out.println(pids(Servers.processes(server).stream()));
    }

    private static String pids(Stream<ProcessHandle> processes) {
        return processes.map(process -> Long.toString(process.pid())).collect(joining(" "));
    }
}
