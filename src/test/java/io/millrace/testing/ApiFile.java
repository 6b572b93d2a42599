package io.millrace.testing;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The public surface of a module is a file in `api`, so that a change of it shows up in review.
public final class ApiFile {
    private static final Path FOLDER = Path.of(System.getProperty("basedir", "."), "..", "api");
    private static final String ACCEPT = "./millrace mvn -q -Dfast -pl core,http,test-kit,acme,proxy,lab,cli test"
            + " -Dtest=ApiTest -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.api.write";

    private ApiFile() {}

    /// With `-Dmillrace.api.write` the file is written.
    public static void assertSaysWhatIsIn(Module module) throws IOException {
        var file = FOLDER.resolve(module.getName().substring("io.millrace.".length()) + ".txt");
        var lines = new PublicSurface(module).lines();
        if (System.getProperty("millrace.api.write") != null) Files.write(file, lines);
        var written = Files.exists(file) ? Files.readAllLines(file) : List.<String>of();
        if (written.equals(lines)) return;
        fail(file.getFileName() + " is not the public surface of " + module.getName()
                + ". If the change is meant, accept it with\n  " + ACCEPT + "\nand commit the file with it.\n"
                + difference(written, lines));
    }

    private static String difference(List<String> before, List<String> now) {
        var gone = withOwners(before);
        var come = withOwners(now);
        var text = new StringBuilder();
        for (var line : gone)
            if (!come.contains(line)) text.append("- ").append(line).append('\n');
        for (var line : come)
            if (!gone.contains(line)) text.append("+ ").append(line).append('\n');
        return text.isEmpty() ? "Only the order or the blank lines differ." : text.toString();
    }

    /// A member alone does not say whose it is.
    private static List<String> withOwners(List<String> lines) {
        var result = new ArrayList<String>();
        var owner = "";
        for (var line : lines) {
            if (!line.startsWith(" ")) owner = line;
            if (!line.isEmpty()) result.add(line.startsWith(" ") ? owner + ":" + line.substring(3) : line);
        }
        return result;
    }
}
