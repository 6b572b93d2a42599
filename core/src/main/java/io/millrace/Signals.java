package io.millrace;

import io.millrace.loop.LoopLog;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Graceful termination of a server process.
///
/// ```java
/// try (var signals = Signals.catchTermination();
///         var server = Tcp.listen(7007, echo)) {
///     signals.await();
///     server.drain(Duration.ofSeconds(30));
/// }
/// ```
public final class Signals {
    private static final System.Logger LOG = LoopLog.of("io.millrace.signals");

    private Signals() {}

    /// From now on SIGTERM and SIGINT (Ctrl-C) only wake the threads in [Termination#await], so that the caller can
    /// drain its servers. When they are closed and `main` has returned, the process exits with code 0; without
    /// this, the JVM would exit with 143 during the drain. A second signal ends the process at once. Call it before
    /// a server listens, because a signal may come as soon as the server is visible. Any thread; one at a time in a
    /// process.
    public static Termination catchTermination() {
        return new Termination();
    }

    /// From now on each signal of that name runs the task, until the result is closed: `HUP` or `USR1` for
    /// instance, which would end the process otherwise. Any thread; the task runs on a thread of the JVM's.
    public static Catching on(String name, Runnable task) {
        return new Catching(take(name, task));
    }

    /// A caught signal.
    public static final class Catching implements AutoCloseable {
        private final Runnable release;

        private Catching(Runnable release) {
            this.release = release;
        }

        /// Restores what the signal did before.
        @Override
        public void close() {
            release.run();
        }
    }

    /// The caught signals that would end the process. Any thread may call its methods.
    public static final class Termination implements AutoCloseable {
        private final CountDownLatch signalled = new CountDownLatch(1);
        private final Runnable releaseTerm = take("TERM", signalled::countDown);
        private final Runnable releaseInterrupt = take("INT", signalled::countDown);

        private Termination() {}

        /// Waits for a signal.
        public void await() throws InterruptedException {
            signalled.await();
            close();
        }

        /// Waits for a signal for at most `patience`.
        ///
        /// @return whether there was one
        public boolean await(Duration patience) throws InterruptedException {
            boolean came = signalled.await(patience.toNanos(), TimeUnit.NANOSECONDS);
            if (came) close();
            return came;
        }

        /// Acts as if a signal had come, for another reason to end. Any thread.
        public void raise() {
            signalled.countDown();
        }

        /// From now on signals end the process at once, as they do after the first one was awaited.
        @Override
        public void close() {
            releaseTerm.run();
            releaseInterrupt.run();
        }
    }

    /// Only `sun.misc.Signal` lets a program handle a signal: a shutdown hook runs when the exit code is fixed, and
    /// halting there would cut off other hooks, such as the flight recorder's. It is a supported part of
    /// `jdk.unsupported`, yet `javac` gives a warning that cannot be suppressed; hence reflection.
    ///
    /// @return restores the handler that was there before
    private static Runnable take(String name, Runnable heard) {
        try {
            var signalType = Class.forName("sun.misc.Signal");
            var handlerType = Class.forName("sun.misc.SignalHandler");
            var handle = signalType.getMethod("handle", signalType, handlerType);
            var signal = signalType.getConstructor(String.class).newInstance(name);
            var handler =
                    Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handlerType}, (_, _, _) -> {
                        heard.run();
                        return null;
                    });
            var before = handle.invoke(null, signal, handler);
            return () -> giveBack(handle, signal, before);
        } catch (ReflectiveOperationException e) {
            LOG.log(Level.WARNING, "SIG" + name + " cannot be caught, and ends the process at once", e);
            return () -> {};
        }
    }

    private static void giveBack(Method handle, Object signal, Object before) {
        try {
            handle.invoke(null, signal, before);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the handler of " + signal + " cannot be restored", e);
        }
    }
}
