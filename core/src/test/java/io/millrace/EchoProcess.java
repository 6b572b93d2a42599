package io.millrace;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// An echo server for a process of its own. It writes its port, and then a line for each line it reads; at the end
/// of its input it closes.
final class EchoProcess {
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);
    private static final Session ECHO_SESSION = conn -> {
        while (conn.read()) conn.output().move(conn.input());
    };

    private EchoProcess() {}

    /// The arguments are the name of a [Loops], and `callback` or `direct`.
    public static void main(String[] arguments) throws IOException {
        try (var loops = Loops.valueOf(arguments[0]).start(1);
                var server = start(loops, arguments[1].equals("direct"));
                var in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            System.out.println(server.port());
            for (String line; (line = in.readLine()) != null; ) System.out.println(answer(line, loops));
        }
    }

    private static Server start(EventLoops loops, boolean isDirect) {
        var here = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
        return isDirect ? Tcp.serve(here, ECHO_SESSION) : Tcp.listen(here, ECHO);
    }

    private static String answer(String question, EventLoops loops) {
        return switch (question) {
            case "counters" -> counters(loops);
            case "heap" -> String.valueOf(heapBytes());
            default -> "nobody knows what '" + question + "' means";
        };
    }

    /// Connections, times accepting was refused, turns, bytes of slabs.
    private static String counters(EventLoops loops) {
        var now = loops.counters().getFirst();
        return now.connections() + " " + now.acceptsRefused() + " " + now.turns() + " " + now.slabBytesInUse();
    }

    private static long heapBytes() {
        // The first collection lets cleaners run, whose garbage the second one takes.
        System.gc();
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
