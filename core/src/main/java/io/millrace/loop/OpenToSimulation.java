package io.millrace.loop;

import java.util.List;
import java.util.function.Consumer;

/// Opens the packages that a simulation needs to the artifact `millrace-test` on the class path: Maven puts it
/// there for a module's tests, and a qualified export names only modules. It is found as a service, because any
/// other way would be public API.
public final class OpenToSimulation implements Consumer<Module> {
    private static final List<String> PACKAGES =
            List.of("io.millrace.loop", "io.millrace.memory", "io.millrace.transport");

    /// @throws IllegalArgumentException when another module asks
    @Override
    public void accept(Module simulation) {
        if (simulation.isNamed()) {
            throw new IllegalArgumentException(
                    simulation + " is not on the class path: the module io.millrace.test " + "needs no opening");
        }
        for (var name : PACKAGES) OpenToSimulation.class.getModule().addExports(name, simulation);
    }
}
