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

/// A task, and the sides that have a program for it. The other sides lack the means.
enum Row {
    ROOMS("Rooms"),
    UPLOAD("Upload"),
    NEWS("News"),
    LOGIN("Login"),
    FETCH("Fetch"),
    PROXY("Proxy");

    static final Path GO_SOURCES = Path.of("src", "test", "go");
    private static final Path JAVA_SOURCES = Path.of("src", "test", "java", "io", "millrace", "sidebyside");

    private final String name;

    Row(String name) {
        this.name = name;
    }

    List<Side> sides() {
        return switch (this) {
            case ROOMS, UPLOAD, NEWS, LOGIN -> List.of(MILLRACE, JAVALIN, HELIDON, GO);
            case FETCH -> List.of(MILLRACE, OKHTTP, GO);
            case PROXY -> List.of(MILLRACE, GO);
        };
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
