package io.millrace.memory;

import org.jspecify.annotations.Nullable;

/// Where slabs come from and go back to: the loop's own pool, or the reserve for borrowers on other threads.
public abstract sealed class SlabSource permits SlabPool, Reserve, CarriedSlabs {
    /// A slab with room for at least a few bytes: a small one for a beginning, a large one when much is written.
    /// When memory is short it may be of the other size.
    ///
    /// @throws io.millrace.bytes.Overflow when there is none at all
    abstract Slab take(boolean isLarge, Slab.Owner owner);

    /// A small slab, or null when the memory is short.
    abstract @Nullable Slab takeSmall(Slab.Owner owner);

    /// Whether more than half of the memory is in use, so that each user should get by with little. Approximate on
    /// threads other than the loop's.
    public abstract boolean isTight();

    /// Takes a slab back, whatever pool it came from; a reference is simply forgotten.
    abstract void give(Slab slab, Slab.Owner from);
}
