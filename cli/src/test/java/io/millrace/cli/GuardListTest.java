package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Guards;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.CountedGuard;
import io.millrace.net.Guard;
import io.millrace.proxy.Upstream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The guards of all modules are those of `docs/limits.md`.
class GuardListTest {
    private static final Path LIST = Path.of(System.getProperty("basedir", "."), "..", "docs", "limits.md");

    @Test
    void every_guard_is_in_the_list_of_limits_and_nothing_else_is() throws IOException {
        try (var _ = Upstream.of("http://localhost:1")) {
            assertEquals(listed(), Guards.all().stream().map(Guard::name).toList());
        }
    }

    /// Those of core are there before any user can declare one.
    @Test
    @SuppressWarnings("NullAway") // static fields are nobody's
    void no_user_takes_the_name_of_a_module_that_is_not_in_use_yet() throws Exception {
        var others = new ArrayList<>(listed());
        for (var field : CoreGuards.class.getFields()) others.remove(((Guard) field.get(null)).name());
        assertFalse(others.isEmpty());
        for (var name : others)
            assertThrows(IllegalStateException.class, () -> Guards.declare(name + ".mine", "mine"), name);
    }

    @Test
    void those_that_act_every_day_are_named() throws IOException {
        try (var _ = Upstream.of("http://localhost:1")) {
            var everyday = Guards.all().stream()
                    .filter(CountedGuard::isEveryday)
                    .map(guard -> "`" + guard.name() + "`")
                    .toList();
            var named = String.join(", ", everyday) + ".";
            assertTrue(Files.readAllLines(LIST).contains(named), named);
        }
    }

    /// The first cells of the tables of limits that have a counter, without their headers.
    private static List<String> listed() throws IOException {
        return Files.readAllLines(LIST).stream()
                .dropWhile(line -> !line.equals("## All limits"))
                .takeWhile(line -> !line.equals("### Forms and uploads"))
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(3, line.indexOf('`', 3)))
                .sorted()
                .toList();
    }
}
