package io.millrace.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Why a kernel does not provide io_uring, in sentences with the remedy.
final class IoUringRefusal {
    private static final Path SWITCH = Path.of("/proc/sys/kernel/io_uring_disabled");

    private IoUringRefusal() {}

    /// What an errno of io_uring_setup(2) means here.
    static String sentence(int errno) {
        return switch (errno) {
            case Errno.ENOSYS -> "this kernel, or its sandbox, has no io_uring: Linux 6.0 is needed";
            case Errno.EPERM, Errno.EACCES -> forbidden();
            case Errno.EINVAL -> "io_uring of this kernel is too old: Linux 6.0 is needed";
            case Errno.ENOMEM ->
                "the kernel has no memory for io_uring's rings: raise the limit of locked memory ('ulimit -l') or of"
                        + " the control group";
            default -> "cannot set up io_uring: " + Errno.message(errno);
        };
    }

    private static String forbidden() {
        return isSwitchedOff()
                ? "io_uring is switched off (kernel.io_uring_disabled): set it to 0 with sysctl"
                : "io_uring is forbidden (EPERM), most likely by a seccomp profile: allow io_uring_setup,"
                        + " io_uring_enter and io_uring_register in the container";
    }

    private static boolean isSwitchedOff() {
        try {
            return !Files.readString(SWITCH).strip().equals("0");
        } catch (IOException _) {
            return false;
        }
    }
}
