package rooms;

import io.millrace.Server;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import java.net.InetSocketAddress;
import java.util.StringJoiner;

public class Main {
    public static void main(String[] arguments) throws Exception {
        var flags = flags(); // before a first native call, because the JVM enables what it warns of
        try (var server = Http.serve(0, request -> Response.ok("hello"))) {
            System.out.println(((InetSocketAddress) server.address()).getPort() + " " + flags);
            server.await();
        }
    }

    static String flags() {
        var millrace = Server.class.getModule();
        var flags = new StringJoiner(" ");
        if (millrace.isNativeAccessEnabled()) flags.add("native");
        if (Object.class.getModule().isOpen("java.lang", millrace)) flags.add("opens");
        return flags.toString();
    }
}
