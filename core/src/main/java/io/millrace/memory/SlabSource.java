package io.millrace.memory;

/// Where slabs come from and go back to: the loop's own pool, or the reserve for borrowers on other threads.
public abstract sealed class SlabSource permits SlabPool, Reserve {
    /// A slab with room for at least a few bytes: a small one for a beginning, a large one when much is written.
    abstract Slab take(boolean large, Slab.Owner owner);

    /// Takes a slab back, whatever pool it came from; a reference is simply forgotten.
    abstract void give(Slab slab, Slab.Owner from);
}
