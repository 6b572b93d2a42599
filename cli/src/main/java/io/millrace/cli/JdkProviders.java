package io.millrace.cli;

import java.security.Security;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The security providers of the JDK that the commands need.
final class JdkProviders {
    private static final String SETTING = "security.provider.";

    /// Those that the JDK finds as services, for smart cards, Kerberos, directories and XML. To find one it makes
    /// all that are installed, and so the provider in the library for ACME, which takes a signed jar and half a
    /// second. TLS would cause that at its first handshake.
    private static final Set<String> FOUND_AS_SERVICES =
            Set.of("SunJGSS", "SunSASL", "XMLDSig", "SunPCSC", "JdkLDAP", "JdkSASL", "SunPKCS11");

    private JdkProviders() {}

    /// Leaves those out, before the first use of any provider. What somebody has added to the JDK's list stays.
    /// Without an ahead-of-time cache a JVM has used some before it runs the program, if it has read modules from
    /// signed jars: then this changes nothing.
    static void leaveOutServices() {
        int number = 1;
        for (var name = name(number); name != null; name = name(++number)) {
            // A name that occurs twice counts once.
            if (FOUND_AS_SERVICES.contains(name)) Security.setProperty(SETTING + number, "SUN");
        }
    }

    private static @Nullable String name(int number) {
        return Security.getProperty(SETTING + number);
    }
}
