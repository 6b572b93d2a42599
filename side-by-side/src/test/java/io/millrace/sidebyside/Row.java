package io.millrace.sidebyside;

import static io.millrace.sidebyside.Side.GO;
import static io.millrace.sidebyside.Side.HELIDON;
import static io.millrace.sidebyside.Side.JAVALIN;
import static io.millrace.sidebyside.Side.MILLRACE;
import static io.millrace.sidebyside.Side.OKHTTP;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// A task, and who has a program for it. The others have nothing to do it with.
enum Row {
    ROOMS("Rooms", MILLRACE, JAVALIN, HELIDON, GO),
    UPLOAD("Upload", MILLRACE, JAVALIN, HELIDON, GO),
    NEWS("News", MILLRACE, JAVALIN, HELIDON, GO),
    LOGIN("Login", MILLRACE, JAVALIN, HELIDON, GO),
    FETCH("Fetch", MILLRACE, OKHTTP, GO),
    PROXY("Proxy", MILLRACE, GO);

    static final Path GO_SOURCES = Path.of("src", "test", "go");
    private static final Path JAVA_SOURCES = Path.of("src", "test", "java", "io", "millrace", "sidebyside");

    final List<Side> sides;
    private final String name;

    Row(String name, Side... sides) {
        this.name = name;
        this.sides = List.of(sides);
    }

    /// The package of its programs, for Java and for Go.
    String folder() {
        return name.toLowerCase(Locale.ROOT);
    }

    String mainClass(Side side) {
        return "io.millrace.sidebyside." + folder() + "." + side.prefix + name;
    }

    /// A program and its tests, where it has some.
    List<Path> sources(Side side) {
        return files(side).filter(file -> file.toFile().exists()).toList();
    }

    private Stream<Path> files(Side side) {
        if (side == GO) return Stream.of("main.go", "main_test.go").map(GO_SOURCES.resolve(folder())::resolve);
        return Stream.of(".java", "Test.java")
                .map(end -> JAVA_SOURCES.resolve(folder()).resolve(side.prefix + name + end));
    }
}
