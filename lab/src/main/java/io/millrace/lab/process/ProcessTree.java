package io.millrace.lab.process;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// A process and all its descendants. A process whose parent has ended is no longer a descendant, so the first
/// one has a mark in its environment, which those that it starts inherit.
///
/// @param mark `NAME=VALUE`, or empty when there is none
record ProcessTree(ProcessHandle root, String mark) {
    /// Those that live, the first one first. A list of this moment: they may start more.
    List<ProcessHandle> alive() {
        var found = new LinkedHashSet<ProcessHandle>();
        addFamily(root, found);
        if (!mark.isEmpty()) {
            Proc.all().stream()
                    .filter(process -> process.hasInEnvironment(mark))
                    .forEach(process -> ProcessHandle.of(process.pid()).ifPresent(orphan -> addFamily(orphan, found)));
        }
        return found.stream().filter(ProcessTree::isAlive).toList();
    }

    private static void addFamily(ProcessHandle first, Set<ProcessHandle> to) {
        if (to.add(first)) {
            first.descendants().forEach(to::add);
        }
    }

    /// A zombie does nothing, and may stay for ever if its parent does not collect it.
    static boolean isAlive(ProcessHandle process) {
        return process.isAlive() && !Proc.of(process).isZombie();
    }
}
