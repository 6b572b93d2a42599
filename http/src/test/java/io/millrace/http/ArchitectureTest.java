package io.millrace.http;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.millrace.testing.Floors;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The floors of this module; `docs/ARCHITECTURE.md` says what they are, `docs/decisions/023-floors-of-http.md` why.
class ArchitectureTest {
    /// Low to high: nothing depends on what is to the right of it.
    private static final Floors FLOORS = new Floors(
            Request.class,
            "io.millrace.http",
            List.of(
                    ".grammar",
                    "",
                    ".coding",
                    ".message",
                    ".file",
                    ".exchange",
                    ".ws",
                    ".websocket",
                    ".h1",
                    ".h2",
                    ".pool",
                    ".client",
                    ".server",
                    ".operation",
                    ".filter",
                    ".acme"));

    /// A sealed contract names its implementations, and the functions that make one name what they make.
    private static final List<String> EDGES_UPWARD = List.of(
            "Headers -> message.ReceivedHeaders",
            "Request -> message.BuiltRequest",
            "Request -> message.ReceivedRequest",
            "Request -> message.RewrittenRequest",
            "Response -> message.Body",
            "Response -> message.BuiltResponse",
            "ServedRequest -> exchange.RequestRecord");

    @Test
    void every_package_is_on_a_floor() {
        FLOORS.assertEveryPackageIsOnOne();
    }

    @Test
    void no_floor_depends_on_a_higher_one_but_for_contracts_that_name_what_is_behind_them() {
        FLOORS.assertEdgesUpward(EDGES_UPWARD);
    }

    @Test
    void no_version_depends_on_another() {
        noClasses()
                .that(resideInAPackage("io.millrace.http.h2"))
                .should()
                .dependOnClassesThat(resideInAPackage("io.millrace.http.h1"))
                .check(FLOORS.types());
    }

    @Test
    void every_package_says_what_may_be_null() {
        FLOORS.assertEachSaysWhatMayBeNull();
    }

    @Test
    void no_name_says_nothing() {
        FLOORS.assertNoNameSaysNothing();
    }
}
