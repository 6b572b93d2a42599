import static java.lang.classfile.ClassFile.JAVA_25_VERSION;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Writes the classes of a jar anew in the format of Java 25, in place: `java Modernize.java JAR`.
///
/// The ahead-of-time cache takes no class whose format is older than Java 6, because those have no stack maps and
/// cannot be verified beforehand; picocli still ships Java 5. The launcher runs this on its own copy.
void main(String[] args) throws IOException {
    try (var jar = FileSystems.newFileSystem(Path.of(args[0]));
            var files = Files.walk(jar.getPath("/"))) {
        for (var file : files.filter(this::isClass).toList()) Files.write(file, modern(file));
    }
}

boolean isClass(Path file) {
    return file.toString().endsWith(".class") && !file.endsWith("module-info.class");
}

byte[] modern(Path file) throws IOException {
    var inJar = ClassHierarchyResolver.ofResourceParsing(name -> open(file.getFileSystem(), name));
    var format = ClassFile.of(
            ClassHierarchyResolverOption.of(ClassHierarchyResolver.defaultResolver().orElse(inJar)));
    // Method bodies are written anew only when something transforms them, and with them their stack maps.
    var rewrite = ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL);
    var lift = rewrite.andThen((to, element) ->
            to.with(element instanceof ClassFileVersion ? ClassFileVersion.of(JAVA_25_VERSION, 0) : element));
    return format.transformClass(format.parse(Files.readAllBytes(file)), lift);
}

InputStream open(FileSystem jar, ClassDesc type) {
    var descriptor = type.descriptorString();
    try {
        return Files.newInputStream(jar.getPath("/" + descriptor.substring(1, descriptor.length() - 1) + ".class"));
    } catch (NoSuchFileException _) {
        return null;
    } catch (IOException e) {
        throw new UncheckedIOException(e);
    }
}
