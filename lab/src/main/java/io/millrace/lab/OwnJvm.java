package io.millrace.lab;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Another JVM of this kind that runs a class of ours.
final class OwnJvm {
    private OwnJvm() {}

    /// The program `java` of this JVM.
    static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    static List<String> command(List<String> flags, String mainClass, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(java().toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath(), mainClass));
        command.addAll(arguments);
        return command;
    }

    /// Everything that this JVM found its modules and classes in, as a class path: with it all servers get the same
    /// flags.
    ///
    /// @throws IllegalArgumentException with a sentence, in a runtime image, which has no jars
    private static String classPath() {
        var all = Stream.of("jdk.module.path", "java.class.path")
                .map(property -> System.getProperty(property, ""))
                .flatMap(paths -> Stream.of(paths.split(File.pathSeparator, -1)))
                .filter(path -> !path.isEmpty())
                .map(OwnJvm::withJars)
                .collect(Collectors.joining(File.pathSeparator));
        if (all.isEmpty()) {
            throw new IllegalArgumentException(
                    "a runtime image has no programs to compare: take ./millrace lab in the sources of Millrace");
        }
        return all;
    }

    /// A module path names folders of jars, a class path wants a star for them.
    private static String withJars(String path) {
        boolean isFolderOfJars = Files.isDirectory(Path.of(path)) && !Files.exists(Path.of(path, "module-info.class"));
        return isFolderOfJars && hasJar(Path.of(path)) ? Path.of(path, "*").toString() : path;
    }

    private static boolean hasJar(Path folder) {
        var files = folder.toFile().list();
        return files != null && Stream.of(files).anyMatch(file -> file.endsWith(".jar"));
    }
}
