package io.millrace.proxy;

import io.millrace.testing.Floors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The floors of this module; `docs/ARCHITECTURE.md` says what they are, `docs/decisions/023-floors-of-http.md` why.
class ArchitectureTest {
    /// Low to high: nothing depends on what is to the right of it.
    private static final Floors FLOORS = new Floors(
            Upstream.class,
            "io.millrace.proxy",
            List.of(
                    ".backend",
                    ".announce",
                    ".upstream",
                    ".websocket",
                    ".admin",
                    "",
                    ".configuration",
                    ".configuration.shape",
                    ".configuration.file",
                    ".routing",
                    ".service"));

    /// The functions of a contract that make one name what they make.
    private static final List<String> EDGES_UPWARD =
            List.of("backend.EndpointSource -> upstream.DnsSource", "backend.EndpointSource -> upstream.EndpointFile");

    @Test
    void every_package_is_on_a_floor() {
        FLOORS.assertEveryPackageIsOnOne();
    }

    @Test
    void no_floor_depends_on_a_higher_one_but_for_contracts_that_name_what_is_behind_them() {
        FLOORS.assertEdgesUpward(EDGES_UPWARD);
    }

    @Test
    void every_package_says_what_may_be_null() {
        FLOORS.assertEachSaysWhatMayBeNull();
    }

    @Test
    void nothing_is_cast_to_an_internal_type_of_another_module() throws IOException {
        FLOORS.assertCastsToNothingInternal(Path.of("src/main/java"));
    }

    @Test
    void no_name_says_nothing() {
        FLOORS.assertNoNameSaysNothing();
    }
}
