package io.millrace.http.filter;

import io.millrace.http.operation.ProcessStatus;
import java.lang.module.ModuleDescriptor;
import java.util.Optional;
import java.util.OptionalLong;

/// The process's version and use of resources, by the metric names that are usual for every process. What the
/// system does not reveal is left out.
final class ProcessSamples {
    private ProcessSamples() {}

    static void write(MetricsText to) {
        to.gauge("millrace_build_info", "The version of Millrace and of the JDK that runs it.")
                .value(1L, "version", version(), "jdk", Runtime.version().toString());
        var process = ProcessHandle.current().info();
        process.totalCpuDuration()
                .ifPresent(used ->
                        to.counter("process_cpu_seconds", "CPU time used.").total(used.toNanos() / 1e9));
        process.startInstant()
                .ifPresent(start -> to.gauge("process_start_time_seconds", "Start time, Unix time.")
                        .value(start.toEpochMilli() / 1e3));
        gauge(to, "process_resident_memory_bytes", "Resident memory.", ProcessStatus.residentBytes());
        gauge(to, "process_virtual_memory_bytes", "Virtual memory.", ProcessStatus.virtualBytes());
        gauge(to, "process_open_fds", "Open descriptors.", ProcessStatus.descriptors());
        gauge(to, "process_max_fds", "Limit of open descriptors.", ProcessStatus.mostDescriptors());
        var heap = Runtime.getRuntime();
        to.gauge("millrace_heap_bytes", "Memory of the JVM's heap, used and free.");
        to.value(heap.totalMemory() - heap.freeMemory(), "state", "used");
        to.value(heap.freeMemory(), "state", "free");
    }

    private static void gauge(MetricsText to, String name, String help, OptionalLong value) {
        if (value.isPresent()) to.gauge(name, help).value(value.getAsLong());
    }

    private static String version() {
        return Optional.ofNullable(ProcessSamples.class.getModule().getDescriptor())
                .flatMap(ModuleDescriptor::rawVersion)
                .or(() -> versionInManifest(ProcessSamples.class.getPackage()))
                .orElse("unknown");
    }

    /// On the class path. An application that has these classes in its own jar has its own title and version there.
    private static Optional<String> versionInManifest(Package of) {
        return Optional.ofNullable(of.getImplementationTitle())
                .filter(title -> title.startsWith("Millrace"))
                .map(_ -> of.getImplementationVersion());
    }
}
