package io.millrace.sim;

import io.millrace.net.CheckReturnValue;

/// What a simulation is made with. An immutable value: each method that sets something returns a copy.
///
/// ```java
/// Simulation.forEachSeed(100, SimulationSettings.standard().threads(2).carriers(0.5), network -> …);
/// ```
@CheckReturnValue
public final class SimulationSettings {
    private static final long LEAST_MEMORY = 4L << 20;
    private static final SimulationSettings STANDARD = new SimulationSettings(1, 3, 16L << 20, 1);

    private final int leastThreads;
    private final int mostThreads;
    private final long memoryBytes;
    private final double carriers;

    private SimulationSettings(int leastThreads, int mostThreads, long memoryBytes, double carriers) {
        this.leastThreads = leastThreads;
        this.mostThreads = mostThreads;
        this.memoryBytes = memoryBytes;
        this.carriers = carriers;
    }

    /// One to three event loops with 16 MiB each, which carry virtual threads if the JDK allows it.
    public static SimulationSettings standard() {
        return STANDARD;
    }

    /// How many event loops, 1 or more.
    public SimulationSettings threads(int count) {
        return threads(count, count);
    }

    /// How many event loops, 1 or more: a number from `least` to `most` that the seed decides.
    public SimulationSettings threads(int least, int most) {
        if (least < 1 || most < least) {
            throw new IllegalArgumentException(
                    least + " to " + most + " event loops: give 1 or more, the larger number last");
        }
        return new SimulationSettings(least, most, memoryBytes, carriers);
    }

    /// The fewest event loops.
    public int leastThreads() {
        return leastThreads;
    }

    /// The most event loops.
    public int mostThreads() {
        return mostThreads;
    }

    /// The maximum of slab memory for each loop, 4 MiB or more.
    public SimulationSettings memory(long bytesPerLoop) {
        if (bytesPerLoop < LEAST_MEMORY) {
            throw new IllegalArgumentException(
                    bytesPerLoop + " bytes of memory: give a loop 4 MiB (" + LEAST_MEMORY + " bytes) or more");
        }
        return new SimulationSettings(leastThreads, mostThreads, bytesPerLoop, carriers);
    }

    /// The maximum of slab memory for each loop, in bytes.
    public long memory() {
        return memoryBytes;
    }

    /// For what share of seeds, from 0 to 1, the loops carry virtual threads if the JDK allows it. With the
    /// others sessions run in lockstep with the simulation, as always in a JVM without carriers.
    public SimulationSettings carriers(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("carriers with a share of " + share + " of the seeds: give it 0 to 1");
        }
        return new SimulationSettings(leastThreads, mostThreads, memoryBytes, share);
    }

    /// For what share of seeds, from 0 to 1, the loops carry virtual threads.
    public double carriers() {
        return carriers;
    }
}
