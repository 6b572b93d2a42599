package io.millrace;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The public surface is a file, so that a change of it shows up in review.
class ApiTest {
    private static final Path FILE = Sources.ROOT.resolve(Path.of("api", "core.txt"));
    private static final String ACCEPT = "./millrace mvn -q -Dfast -pl core test -Dtest=ApiTest -Dmillrace.api.write";

    @Test
    void the_public_surface_is_what_the_file_says() throws IOException, URISyntaxException {
        var lines = new PublicSurface(Tcp.class).lines();
        if (System.getProperty("millrace.api.write") != null) write(lines);
        var written = Files.exists(FILE) ? Files.readAllLines(FILE) : List.<String>of();
        if (written.equals(lines)) return;
        fail("api/core.txt is not the public surface of io.millrace.core. If the change is meant, accept it with\n  "
                + ACCEPT + "\nand commit the file with it.\n" + difference(written, lines));
    }

    private static void write(List<String> lines) throws IOException {
        Files.createDirectories(FILE.getParent());
        Files.write(FILE, lines);
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
