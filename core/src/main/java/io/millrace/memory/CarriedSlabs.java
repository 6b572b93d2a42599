package io.millrace.memory;

import org.jspecify.annotations.Nullable;

/// The slab source of a thread that its loop may carry: the pool while it is the loop, the reserve elsewhere. It
/// may leave the loop between any two slabs.
public final class CarriedSlabs extends SlabSource {
    private final SlabPool pool;
    private final SlabHome home;

    /// The pool's loop.
    public interface SlabHome {
        /// Whether the calling thread is the loop, or is carried by it; then it stays until [#leaves], even if it has
        /// to wait for memory.
        boolean enters();

        void leaves();
    }

    public CarriedSlabs(SlabPool pool, SlabHome home) {
        this.pool = pool;
        this.home = home;
    }

    /// The part of the pool that any thread may use.
    public Reserve reserve() {
        return pool.reserve();
    }

    @Override
    Slab take(boolean isLarge, Slab.Owner owner) {
        if (!home.enters()) return pool.reserve().take(isLarge, owner);
        try {
            return pool.take(isLarge, owner);
        } finally {
            home.leaves();
        }
    }

    @Override
    @Nullable
    Slab takeSmall(Slab.Owner owner) {
        if (!home.enters()) return pool.reserve().takeSmall(owner);
        try {
            return pool.takeSmall(owner);
        } finally {
            home.leaves();
        }
    }

    @Override
    public boolean isTight() {
        return pool.isTight();
    }

    @Override
    void give(Slab slab, Slab.Owner from) {
        if (!home.enters()) {
            pool.reserve().give(slab, from);
            return;
        }
        try {
            pool.give(slab, from);
        } finally {
            home.leaves();
        }
    }
}
