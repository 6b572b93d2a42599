package io.millrace.acme;

import io.millrace.http.acme.AcmeChallenges;
import io.millrace.http.acme.CertificateKeeper;
import io.millrace.net.Loop;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;

/// Certificates from an authority: the entry point.
///
/// ```java
/// var settings = AcmeSettings.of(Path.of("/var/lib/app/acme"), "example.com").contact("ops@example.com");
/// var keeper = Acme.keeper(loops.next());
/// keeper.keep(List.of(settings));
/// Http.serve(Listen.on(80), keeper.challenges().around(app));
/// ```
public final class Acme {
    private Acme() {}

    /// Keeps certificates from now on, as soon as it is told which.
    ///
    /// @param loop has its timers; everything that blocks runs on virtual threads beside it
    public static CertificateKeeper keeper(Loop loop) {
        var challenges = new AcmeChallenges();
        return new Keeper(
                loop,
                challenges,
                new AcmeAuthority(challenges),
                InstantSource.system(),
                () -> ThreadLocalRandom.current().nextDouble());
    }
}
