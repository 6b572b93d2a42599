package io.millrace.acme;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.http.Response;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.http.server.Http;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/// Keeps a certificate until its input ends, or it is killed: storage, directory, who issued the directory's own
/// certificate, the port of challenges.
final class KeeperProcess {
    private KeeperProcess() {}

    static AcmeSettings settings(Path storage, URI directory, Path authorities) {
        return AcmeSettings.of(storage, "www.example.test")
                .directory(directory)
                .authorities(TlsIdentity.certificates(authorities));
    }

    public static void main(String[] arguments) throws IOException {
        var settings = settings(Path.of(arguments[0]), URI.create(arguments[1]), Path.of(arguments[2]));
        try (var loops = EventLoops.of(1);
                var keeper = Acme.keeper(loops.next())) {
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[3]));
            try (var _ = Http.listen(
                    Listen.on(address).loops(loops), keeper.challenges().around(_ -> Response.status(404)))) {
                keeper.keep(List.of(settings));
                while (System.in.read() >= 0) Thread.onSpinWait();
            }
        }
    }
}
