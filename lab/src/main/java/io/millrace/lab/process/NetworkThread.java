package io.millrace.lab.process;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// A thread within the network namespace of another process, setns(2). Sockets that it opens are in that
/// namespace. Any thread may have it do something.
final class NetworkThread implements AutoCloseable {
    /// The same on all architectures, as for every system call since Linux 5.1.
    private static final long PIDFD_OPEN = 434;
    private static final int CLONE_NEWNET = 0x40000000;

    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("lab-network").factory());

    private NetworkThread() {}

    /// @throws IOException when we may not enter it
    static NetworkThread of(long pid) throws IOException {
        var made = new NetworkThread();
        try {
            made.call(() -> enter(pid));
            return made;
        } catch (IOException refused) {
            made.close();
            throw refused;
        }
    }

    private static int enter(long pid) throws IOException {
        int code;
        try {
            long descriptor = (long) Calls.SYSCALL.invokeExact(PIDFD_OPEN, pid, 0L);
            code = descriptor < 0 ? -1 : (int) Calls.SETNS.invokeExact((int) descriptor, CLONE_NEWNET);
            if (descriptor >= 0) {
                int ignored = (int) Calls.CLOSE.invokeExact((int) descriptor);
            }
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
        if (code != 0) {
            throw new IOException("the network namespace of process " + pid + " cannot be entered; that needs root");
        }
        return code;
    }

    /// Runs it there and waits for it.
    <T> T call(Callable<T> question) throws IOException {
        try {
            return thread.submit(question).get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException known ? known : new IOException(failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    /// Of the C library; looked up by those who need it.
    @SuppressWarnings("restricted")
    private static final class Calls {
        private static final MethodHandle SYSCALL = handle(
                "syscall",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
        private static final MethodHandle SETNS = handle(
                "setns", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        private static final MethodHandle CLOSE =
                handle("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

        private static MethodHandle handle(String name, FunctionDescriptor shape) {
            var linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), shape);
        }
    }
}
