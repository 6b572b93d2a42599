package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URI;
import java.nio.file.Path;
import java.security.Security;
import java.util.List;
import org.junit.jupiter.api.Test;

class JdkProvidersTest {
    /// In a JVM of its own, whose providers nothing has used yet.
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            JdkProviders.leaveOutServices();
            for (var one : Security.getProviders()) System.out.println(one.getName());
        }
    }

    @Test
    void those_of_tls_stay_and_those_that_are_found_as_services_go() throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var path = folder(JdkProviders.class) + File.pathSeparator + folder(Program.class);
        var process = new ProcessBuilder(java, "-cp", path, Program.class.getName())
                .redirectErrorStream(true)
                .start();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8)
                .lines()
                .toList();
        assertEquals(0, process.waitFor(), said::toString);
        assertTrue(said.containsAll(List.of("SUN", "SunRsaSign", "SunEC", "SunJSSE", "SunJCE")), said::toString);
        assertTrue(said.stream().noneMatch(List.of("SunJGSS", "JdkLDAP", "SunPKCS11")::contains), said::toString);
    }

    /// Where its packages are.
    private static Path folder(Class<?> of) throws Exception {
        var name = of.getName().replace('.', '/') + ".class";
        var file = String.valueOf(of.getResource("/" + name));
        return Path.of(URI.create(file.substring(0, file.length() - name.length())));
    }
}
