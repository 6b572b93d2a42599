package io.millrace.http.filter;

import io.millrace.http.operation.ProcessStatus;
import java.lang.module.ModuleDescriptor;
import java.util.Optional;
import java.util.OptionalLong;

/// What this process is and takes, by the names that collectors give it for every process. What the system does
/// not tell is left out.
final class ProcessSamples {
    private ProcessSamples() {}

    static void write(MetricsText to) {
        to.gauge("millrace_build_info", "The version of Millrace and of the JDK that runs it.")
                .value(1L, "version", version(), "jdk", Runtime.version().toString());
        var process = ProcessHandle.current().info();
        process.totalCpuDuration()
                .ifPresent(used -> to.counter("process_cpu_seconds", "Time of processors that it took.")
                        .total(used.toNanos() / 1e9));
        process.startInstant()
                .ifPresent(start -> to.gauge("process_start_time_seconds", "When it began, Unix time.")
                        .value(start.toEpochMilli() / 1e3));
        gauge(
                to,
                "process_resident_memory_bytes",
                "What it has of the machine's memory.",
                ProcessStatus.residentBytes());
        gauge(to, "process_virtual_memory_bytes", "What it has of addresses.", ProcessStatus.virtualBytes());
        gauge(to, "process_open_fds", "Open descriptors.", ProcessStatus.descriptors());
        gauge(to, "process_max_fds", "How many descriptors it may have open.", ProcessStatus.mostDescriptors());
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
                .orElse("unknown");
    }
}
