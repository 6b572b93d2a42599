package io.millrace.loop;

import java.util.List;
import java.util.function.Consumer;

/// Lets the artifact `millrace-test` see what a simulation is made of, where it lies on the class path: Maven puts
/// it there for the tests of a module, and a qualified export names modules only. It asks for this as a service,
/// because every other way to ask is public API.
public final class OpenToSimulation implements Consumer<Module> {
    private static final List<String> PACKAGES =
            List.of("io.millrace.loop", "io.millrace.memory", "io.millrace.transport");

    /// @throws IllegalArgumentException when somebody else asks
    @Override
    public void accept(Module simulation) {
        if (simulation.isNamed()) {
            throw new IllegalArgumentException(simulation + " is none of the class path: the module io.millrace.test"
                    + " sees the simulation's parts by itself");
        }
        for (var name : PACKAGES) OpenToSimulation.class.getModule().addExports(name, simulation);
    }
}
