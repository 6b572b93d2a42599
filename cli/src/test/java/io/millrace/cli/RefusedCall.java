package io.millrace.cli;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A kernel that refuses one system call, as a seccomp profile would: the class of `core` that makes them is put in
/// front of its own in the process under test, with a few instructions more.
final class RefusedCall {
    private static final String MODULE = "io.millrace.core";
    private static final String FILE = "io/millrace/os/SystemCall.class";
    private static final ClassDesc SEGMENT =
            MemorySegment.class.describeConstable().orElseThrow();
    private static final ClassDesc LAYOUT =
            ValueLayout.class.describeConstable().orElseThrow();
    private static final ClassDesc INT =
            ValueLayout.OfInt.class.describeConstable().orElseThrow();

    private RefusedCall() {}

    /// The flags of a JVM in which each call of that number fails with an errno.
    ///
    /// @param folder an empty one, which has to stay as long as the JVM
    static List<String> flags(Path folder, int number, int errno) throws IOException {
        var file = folder.resolve(FILE);
        Files.createDirectories(file.getParent());
        Files.write(file, refusing(number, errno));
        return List.of("--patch-module", MODULE + "=" + folder);
    }

    private static byte[] refusing(int number, int errno) throws IOException {
        var module = ModuleLayer.boot().findModule(MODULE).orElseThrow();
        try (InputStream in = module.getResourceAsStream(FILE)) {
            if (in == null) throw new IOException(MODULE + " has no " + FILE);
            var format = ClassFile.of();
            return format.transformClass(
                    format.parse(in.readAllBytes()),
                    ClassTransform.transformingMethodBodies(
                            method -> method.methodName().equalsString("invoke"), new Refusal(number, errno)));
        }
    }

    /// In front of `invoke(errno, number, …)`: `if (number == NUMBER) { errno.set(JAVA_INT, 0, ERRNO); return -1; }`.
    private record Refusal(int number, int errno) implements CodeTransform {
        private static final int ERRNO_SLOT = 1;
        private static final int NUMBER_SLOT = 2;

        @Override
        public void atStart(CodeBuilder code) {
            var others = code.newLabel();
            code.iload(NUMBER_SLOT)
                    .loadConstant(number)
                    .if_icmpne(others)
                    .aload(ERRNO_SLOT)
                    .getstatic(LAYOUT, "JAVA_INT", INT)
                    .lconst_0()
                    .loadConstant(errno)
                    .invokeinterface(SEGMENT, "set", MethodTypeDesc.of(CD_void, INT, CD_long, CD_int))
                    .loadConstant(-1L)
                    .lreturn()
                    .labelBinding(others);
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            code.with(element);
        }
    }
}
