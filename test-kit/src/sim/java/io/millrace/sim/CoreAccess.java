package io.millrace.sim;

import io.millrace.Tcp;
import java.util.ServiceLoader;
import java.util.function.Consumer;

/// The parts of a simulation are hidden in the module `io.millrace.core`, which exports them to
/// `io.millrace.test`. For a module's tests, Maven puts this artifact on the class path: then it has to ask for
/// them.
final class CoreAccess {
    private CoreAccess() {}

    /// Called before a class is linked that uses a hidden one.
    @SuppressWarnings({"rawtypes", "unchecked"
    }) // a service is asked for by its class; the only one of core's takes modules
    static void open() {
        var core = Tcp.class.getModule();
        var ours = CoreAccess.class.getModule();
        if (!core.isNamed() || ours.isNamed()) return;
        ServiceLoader.load(core.getLayer(), Consumer.class).stream()
                .filter(provider -> provider.type().getModule() == core)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "this millrace-test does not fit its millrace-core: take the same version of both"))
                .get()
                .accept(ours);
    }
}
