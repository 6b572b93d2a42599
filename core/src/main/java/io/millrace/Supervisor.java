package io.millrace;

import io.millrace.loop.LoopLog;
import io.millrace.transport.NoticeSocket;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// The service manager that started this process: systemd, or another one that speaks its protocol, sd_notify(3).
/// It is told when the process serves, reloads and ends, and which process follows in a hot restart. Without a
/// manager, which is the case when the environment has no `NOTIFY_SOCKET`, nothing is sent.
///
/// ```java
/// var manager = Supervisor.ofEnvironment();
/// try (var signals = Signals.catchTermination();
///         var server = Http.serve(Listen.on(8080).inherited(manager.sockets()), app)) {
///     manager.ready("serves");
///     signals.await();
///     manager.stopping();
///     server.drain(Duration.ofSeconds(30));
/// }
/// ```
/// Any thread may call its methods, but not an event loop: sending waits up to two seconds for a manager that is
/// busy. A message that cannot be sent is logged, and the process goes on.
public final class Supervisor {
    private static final System.Logger LOG = LoopLog.of("io.millrace.manager");
    private static final Pattern MICROSECONDS = Pattern.compile("[0-9]{1,15}");

    private final Optional<NoticeSocket> socket;
    private final Optional<Duration> watchdog;
    private final InheritedSockets sockets;

    private Supervisor(Optional<NoticeSocket> socket, Optional<Duration> watchdog, InheritedSockets sockets) {
        this.socket = socket;
        this.watchdog = watchdog;
        this.sockets = sockets;
    }

    /// The manager that the variables of this process's environment name.
    ///
    /// @throws IOException when there are sockets of a manager that cannot be used, with the reason and the remedy
    public static Supervisor ofEnvironment() throws IOException {
        return of(System.getenv(), ProcessHandle.current().pid());
    }

    static Supervisor of(Map<String, String> environment, long pid) throws IOException {
        var socket = Optional.ofNullable(environment.get("NOTIFY_SOCKET")).flatMap(Supervisor::socket);
        return new Supervisor(socket, watchdog(environment, pid), InheritedSockets.of(environment, pid));
    }

    private static Optional<NoticeSocket> socket(String name) {
        if (name.startsWith("/") || name.startsWith("@")) return Optional.of(new NoticeSocket(name));
        LOG.log(
                Level.WARNING,
                "NOTIFY_SOCKET={0} is neither an absolute path nor an abstract name with @: the service manager is"
                        + " not told anything",
                name);
        return Optional.empty();
    }

    private static Optional<Duration> watchdog(Map<String, String> environment, long pid) {
        var micros = environment.get("WATCHDOG_USEC");
        var whose = environment.get("WATCHDOG_PID");
        if (micros == null || (whose != null && !whose.equals(Long.toString(pid)))) return Optional.empty();
        if (!MICROSECONDS.matcher(micros).matches() || Long.parseLong(micros) == 0) {
            LOG.log(Level.WARNING, "WATCHDOG_USEC={0} is no time in microseconds: there is no watchdog", micros);
            return Optional.empty();
        }
        return Optional.of(Duration.ofNanos(Long.parseLong(micros) * 1000));
    }

    /// The listening sockets that it opened for this process; none without socket activation.
    public InheritedSockets sockets() {
        return sockets;
    }

    /// How long it waits for [#alive] until it ends the process; empty when it does not watch it.
    public Optional<Duration> watchdog() {
        return watchdog;
    }

    /// The process serves, for the first time or after [#reloading].
    ///
    /// @param status what it does, one line for people
    public void ready(String status) {
        send("READY=1\nSTATUS=" + line(status));
    }

    /// The same for a process that has taken over from the one that the manager knows: it is the service from now
    /// on. The manager believes it only from a process of the service, and with `NotifyAccess=all`.
    public void readyInstead(String status) {
        send("MAINPID=" + ProcessHandle.current().pid() + "\nREADY=1\nSTATUS=" + line(status));
    }

    /// The process begins to read its configuration again; [#ready] ends it, whatever came of it.
    public void reloading() {
        // Java's clock is the kernel's monotonic one on Linux.
        send("RELOADING=1\nMONOTONIC_USEC=" + System.nanoTime() / 1000 + "\nSTATUS=reloading");
    }

    /// Another process has taken over: the end of this one is not the end of the service. Call it before this
    /// process ends, and in place of [#stopping].
    public void followed(long pid) {
        send("MAINPID=" + pid);
    }

    /// The process begins to end.
    public void stopping() {
        send("STOPPING=1\nSTATUS=draining");
    }

    /// The process works: to be called at least twice within [#watchdog].
    public void alive() {
        send("WATCHDOG=1");
    }

    /// A line break would begin another message.
    private static String line(String status) {
        return status.replaceAll("[\\x00-\\x1f\\x7f]", " ");
    }

    private void send(String text) {
        if (socket.isEmpty()) return;
        try {
            socket.get().send(text);
        } catch (IOException e) {
            LOG.log(
                    Level.WARNING,
                    "the service manager was not told {0}: {1}",
                    text.lines().findFirst().orElse(""),
                    e.getMessage());
        }
    }
}
