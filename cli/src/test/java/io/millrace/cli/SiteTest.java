package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// The documents as a site, without the API's pages.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class SiteTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "."), "..").toAbsolutePath().normalize();

    @BeforeEach
    void there_is_a_python_that_makes_environments() throws Exception {
        int code = new ProcessBuilder("sh", "-c", "python3 -c 'import venv, ensurepip'")
                .start()
                .waitFor();
        if (code != 0) Machine.lacks("no python3 with venv and ensurepip: install python3-venv");
    }

    @Test
    void every_link_leads_somewhere_and_every_document_is_a_page(@TempDir Path folder) throws Exception {
        var said = build(folder);
        assertTrue(said.contains("every link leads somewhere"), said);
        try (var documents = Files.list(ROOT.resolve("docs"))) {
            for (var document :
                    documents.filter(file -> file.toString().endsWith(".md")).toList()) {
                var page = document.getFileName().toString().replace(".md", ".html");
                assertTrue(Files.isRegularFile(folder.resolve(page)), page);
            }
        }
        var front = Files.readString(folder.resolve("index.html"));
        assertTrue(front.contains("href=\"questions.html\""), front);
        assertTrue(Files.readString(folder.resolve("search/search_index.json")).contains("watermark"));
    }

    private static String build(Path to) throws IOException, InterruptedException {
        var process = new ProcessBuilder(ROOT.resolve("site/build").toString(), "--without-api", to.toString())
                .redirectErrorStream(true)
                .start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said;
    }
}
