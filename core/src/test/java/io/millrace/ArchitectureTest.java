package io.millrace;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.millrace.memory.LoopInput;
import io.millrace.os.RawMemory;
import io.millrace.testing.Floors;
import java.io.IOException;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.module.ModuleDescriptor.Requires;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The floors of this module, and what it stands on; `docs/ARCHITECTURE.md` says why.
class ArchitectureTest {
    private static final String ROOT = "io.millrace";

    /// Low to high: nothing imports what is to the right of it.
    private static final Floors MODULE = new Floors(
            Tcp.class, ROOT, List.of(".bytes", ".memory", ".os", ".net", ".transport", ".loop", "", ".codec", ".tls"));

    private static final List<String> FLOORS = MODULE.names();

    /// A sealed type names its one subclass, which is hidden on the next floor.
    private static final List<String> EDGES_UPWARD = List.of(
            "io.millrace.bytes.Input -> io.millrace.memory.LoopInput",
            "io.millrace.bytes.Output -> io.millrace.memory.LoopOutput");

    private static final Pattern IMPORT =
            Pattern.compile("import (?:static )?(io\\.millrace(?:\\.[a-z]+)*)\\.([A-Z]\\w*).*");

    private static final JavaClasses CLASSES = MODULE.types();

    @Test
    void every_package_is_on_a_floor() {
        MODULE.assertEveryPackageIsOnOne();
    }

    static Stream<String> floors() {
        return FLOORS.stream();
    }

    @ParameterizedTest
    @MethodSource("floors")
    void no_floor_depends_on_a_higher_one(String floor) {
        var higher = FLOORS.subList(FLOORS.indexOf(floor) + 1, FLOORS.size()).toArray(String[]::new);
        if (higher.length == 0) return;
        noClasses()
                .that(resideInAPackage(floor))
                .should()
                .dependOnClassesThat(resideInAnyPackage(higher))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void the_only_imports_upward_are_those_of_the_sealed_places() throws IOException {
        var upward = new ArrayList<String>();
        for (var file : Sources.files()) {
            for (var line : Files.readAllLines(file)) {
                var match = IMPORT.matcher(line);
                if (!match.matches() || floor(match.group(1)) <= floor(packageOf(file))) continue;
                upward.add(packageOf(file) + "." + typeOf(file) + " -> " + match.group(1) + "." + match.group(2));
            }
        }
        assertEquals(EDGES_UPWARD, upward);
    }

    @Test
    void the_only_subclasses_permitted_upward_are_those_of_the_sealed_places() {
        var upward = new ArrayList<String>();
        for (var type : CLASSES) {
            if (type.getPackageName().isEmpty() || !type.reflect().isSealed()) continue;
            for (var permitted : type.reflect().getPermittedSubclasses()) {
                if (floor(permitted.getPackageName()) <= floor(type.getPackageName())) continue;
                upward.add(type.getName() + " -> " + permitted.getName());
            }
        }
        assertEquals(EDGES_UPWARD, upward.stream().sorted().toList());
    }

    @Test
    void only_the_lowest_floors_touch_what_can_crash_the_jvm() {
        noClasses()
                .that(resideOutsideOfPackages("io.millrace.os", "io.millrace.memory"))
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Linker.class, SymbolLookup.class)
                .orShould()
                .callMethodWhere(
                        target(nameMatching("reinterpret")).and(target(owner(assignableTo(MemorySegment.class)))))
                .check(CLASSES);
    }

    @Test
    void only_the_transports_use_absolute_addresses() {
        noClasses()
                .that(resideOutsideOfPackages("io.millrace.os", "io.millrace.transport"))
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(RawMemory.class)
                .check(CLASSES);
    }

    @Test
    void only_the_lowest_floors_silence_the_warning_about_it() throws IOException {
        for (var file : Sources.files()) {
            if (!Files.readString(file).contains("\"restricted\"")) continue;
            var floor = packageOf(file);
            assertTrue(List.of("io.millrace.os", "io.millrace.memory").contains(floor), file.toString());
        }
    }

    @Test
    void everything_stands_on_the_jdk_alone() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "javax.crypto..",
                        "javax.net.ssl..",
                        "javax.security..",
                        "jdk..",
                        "com.sun.management..",
                        "io.millrace..",
                        "org.jspecify.annotations"))
                .check(CLASSES);
    }

    @Test
    void logging_goes_through_the_platforms_own_logger() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("java.util.logging.."))
                .check(CLASSES);
    }

    @Test
    void at_run_time_the_module_requires_modules_of_the_jdk_alone() {
        var descriptor = LoopInput.class.getModule().getDescriptor();
        for (var requires : descriptor.requires()) {
            boolean isOfJdk =
                    requires.name().startsWith("java.") || requires.name().startsWith("jdk.");
            assertTrue(isOfJdk || requires.modifiers().contains(Requires.Modifier.STATIC), requires.toString());
        }
    }

    @Test
    void every_package_says_what_may_be_null() {
        MODULE.assertEachSaysWhatMayBeNull();
    }

    @Test
    void no_name_says_nothing() {
        MODULE.assertNoNameSaysNothing();
    }

    /// The position of a package; types of the root's own packages count alone.
    private static int floor(String packageName) {
        int floor = FLOORS.indexOf(packageName);
        assertTrue(floor >= 0, packageName);
        return floor;
    }

    private static String packageOf(Path file) {
        var inside = Sources.MILLRACE.relativize(file).getParent();
        return inside == null ? ROOT : ROOT + "." + inside.toString().replace('/', '.');
    }

    private static String typeOf(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }
}
