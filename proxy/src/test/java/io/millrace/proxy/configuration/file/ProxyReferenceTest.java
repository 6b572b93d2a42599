package io.millrace.proxy.configuration.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// The schema and the reference say what is read.
class ProxyReferenceTest {
    static final Path SCHEMA =
            Path.of("src", "main", "resources", "io", "millrace", "proxy", "millrace-proxy.schema.json");

    private static final Path REFERENCE = Path.of("..", "docs", "proxy-reference.md");

    private static final String ACCEPT =
            "./millrace mvn -q -Dfast -pl core,http,test-kit,proxy test -Dtest=ProxyReferenceTest"
                    + " -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.reference.write";

    @Test
    void the_schema_is_what_the_keys_say() throws IOException {
        check(SCHEMA, SchemaText.write(ProxyKeys.SECTION));
    }

    @Test
    void the_reference_is_what_the_keys_say() throws IOException {
        check(REFERENCE, ReferenceText.of(ProxyKeys.SECTION, Corpus.text("good/example.yaml")));
    }

    private static void check(Path path, String text) throws IOException {
        var file = Path.of(System.getProperty("basedir", ".")).resolve(path).normalize();
        if (System.getProperty("millrace.reference.write") != null) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        }
        assertEquals(
                Files.exists(file) ? Files.readString(file) : "",
                text,
                () -> file
                        + " is not what the keys of the configuration say. If the change is meant, accept it with\n  "
                        + ACCEPT + "\nand commit the file with it.");
    }
}
