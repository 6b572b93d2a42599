package io.millrace.proxy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/// The floors of this module; `docs/ARCHITECTURE.md` says what they are, `docs/decisions/023-floors-of-http.md` why.
class ArchitectureTest {
    private static final String ROOT = "io.millrace.proxy";

    /// Low to high: nothing depends on what is to the right of it.
    private static final List<String> FLOORS = Stream.of(
                    ".backend",
                    ".announce",
                    ".upstream",
                    ".operation",
                    ".admin",
                    "",
                    ".configuration",
                    ".configuration.shape",
                    ".configuration.file",
                    ".routing",
                    ".service")
            .map(ROOT::concat)
            .toList();

    /// The functions of a contract that make one name what they make.
    private static final List<String> EDGES_UPWARD =
            List.of("backend.EndpointSource -> upstream.DnsSource", "backend.EndpointSource -> upstream.EndpointFile");

    private static final JavaClasses CLASSES = imported();

    private static JavaClasses imported() {
        try {
            return new ClassFileImporter()
                    .importPath(Path.of(Upstream.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI()));
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void every_package_is_on_a_floor() {
        var packages = new TreeSet<String>();
        for (var type : CLASSES) packages.add(type.getPackageName());
        packages.remove(""); // the module's descriptor
        packages.removeAll(FLOORS);
        assertEquals(List.of(), List.copyOf(packages));
    }

    @Test
    void no_floor_depends_on_a_higher_one_but_for_contracts_that_name_what_is_behind_them() {
        var upward = new TreeSet<String>();
        for (var type : CLASSES) {
            for (var dependency : type.getDirectDependenciesFromSelf()) {
                addIfUpward(type, dependency.getTargetClass().getBaseComponentType(), upward);
            }
            if (type.getPackageName().isEmpty() || !type.reflect().isSealed()) continue;
            for (var permitted : type.reflect().getPermittedSubclasses()) {
                addIfUpward(type, CLASSES.get(permitted), upward);
            }
        }
        assertEquals(EDGES_UPWARD, List.copyOf(upward));
    }

    private static void addIfUpward(JavaClass from, JavaClass to, Set<String> upward) {
        int floor = FLOORS.indexOf(from.getPackageName());
        if (floor >= 0 && FLOORS.indexOf(to.getPackageName()) > floor) upward.add(name(from) + " -> " + name(to));
    }

    /// That of its file, without the package of this module.
    private static String name(JavaClass type) {
        var name = type.getName().substring(ROOT.length() + 1);
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    @Test
    void every_package_says_what_may_be_null() {
        for (var floor : FLOORS) {
            var type = CLASSES.stream()
                    .filter(candidate -> candidate.getPackageName().equals(floor))
                    .findFirst()
                    .orElseThrow();
            assertNotNull(type.reflect().getPackage().getAnnotation(NullMarked.class), floor);
        }
    }

    @Test
    void no_name_says_nothing() {
        classes()
                .should()
                .haveNameNotMatching(".*[.$](Abstract|Default)\\w*|.*(Impl|Manager|Utils?|Helper|Adapter)")
                .check(CLASSES);
    }
}
