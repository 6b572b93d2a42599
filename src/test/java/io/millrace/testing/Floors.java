package io.millrace.testing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static java.util.regex.Pattern.MULTILINE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;

/// The packages of a module, one above the other.
public final class Floors {
    private static final Pattern IMPORT =
            Pattern.compile("^import (io\\.millrace\\.[a-z0-9.]+)\\.([A-Z]\\w*);", MULTILINE);

    private final String root;
    private final List<String> names;
    private final JavaClasses classes;

    /// @param ofModule one of its classes, but of its tests
    /// @param root     its lowest common package
    /// @param names    of the floors below that, low to high; empty for the root itself
    public Floors(Class<?> ofModule, String root, List<String> names) {
        this.root = root;
        this.names = names.stream().map(root::concat).toList();
        this.classes = imported(ofModule);
    }

    private static JavaClasses imported(Class<?> ofModule) {
        try {
            var location = ofModule.getProtectionDomain().getCodeSource().getLocation();
            return new ClassFileImporter().importPath(Path.of(location.toURI()));
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    public List<String> names() {
        return names;
    }

    /// All of the module, without its tests.
    public JavaClasses types() {
        return classes;
    }

    public void assertEveryPackageIsOnOne() {
        var packages = new TreeSet<String>();
        for (var type : classes) packages.add(type.getPackageName());
        packages.remove(""); // the module's descriptor
        packages.removeAll(names);
        assertEquals(List.of(), List.copyOf(packages));
    }

    /// That nothing depends on a higher floor, nor permits a subclass there, but for these.
    ///
    /// @param edges of top-level types, without the package of the root, as in `Request -> message.Body`, sorted
    public void assertEdgesUpward(List<String> edges) {
        var upward = new TreeSet<String>();
        for (var type : classes) {
            for (var dependency : type.getDirectDependenciesFromSelf()) {
                addIfUpward(type, dependency.getTargetClass().getBaseComponentType(), upward);
            }
            if (type.getPackageName().isEmpty() || !type.reflect().isSealed()) continue;
            for (var permitted : type.reflect().getPermittedSubclasses()) {
                addIfUpward(type, classes.get(permitted), upward);
            }
        }
        assertEquals(edges, List.copyOf(upward));
    }

    private void addIfUpward(JavaClass from, JavaClass to, Set<String> upward) {
        int floor = names.indexOf(from.getPackageName());
        if (floor >= 0 && names.indexOf(to.getPackageName()) > floor) upward.add(name(from) + " -> " + name(to));
    }

    /// That of its file, without the package of the root.
    private String name(JavaClass type) {
        var name = type.getName().substring(root.length() + 1);
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    public void assertEachSaysWhatMayBeNull() {
        for (var floor : names) {
            var type = classes.stream()
                    .filter(candidate -> candidate.getPackageName().equals(floor))
                    .findFirst()
                    .orElseThrow();
            assertNotNull(type.reflect().getPackage().getAnnotation(NullMarked.class), floor);
        }
    }

    /// That no source casts to a type of another module which that does not export to everybody, nor asks whether
    /// something is one.
    ///
    /// @param sources the folder of them
    public void assertCastsToNothingInternal(Path sources) throws IOException {
        var casts = new TreeSet<String>();
        try (var files = Files.walk(sources)) {
            for (var file : files.filter(it -> it.toString().endsWith(".java")).toList())
                addCasts(Files.readString(file), file.getFileName() + ": ", casts);
        }
        assertEquals(Set.of(), casts);
    }

    private void addCasts(String text, String where, Set<String> casts) {
        var imports = IMPORT.matcher(text);
        while (imports.find()) {
            if (!isInternal(imports.group(1))) continue;
            var type = imports.group(2);
            var cast = Pattern.compile(
                            "\\(%1$s(<.*?>)?\\) ?[\\w(]|instanceof (final )?%1$s\\b|case %1$s\\b".formatted(type))
                    .matcher(text);
            if (cast.find()) casts.add(where + cast.group());
        }
    }

    private boolean isInternal(String packageName) {
        return !names.contains(packageName)
                && ModuleLayer.boot().modules().stream()
                        .filter(module -> module.getPackages().contains(packageName))
                        .anyMatch(module -> !module.isExported(packageName));
    }

    public void assertNoNameSaysNothing() {
        classes()
                .should()
                .haveNameNotMatching(".*[.$](Abstract|Default)\\w*|.*(Impl|Manager|Utils?|Helper|Adapter)")
                .check(classes);
    }
}
