package io.millrace.lab;

import io.millrace.lab.process.ServerCommand;
import java.io.IOException;
import java.util.Optional;

/// A server that the lab may start: a peer, a floor in C, a reference, or a command of the user's.
///
/// @param name what tables call it
/// @param unavailableBecause a sentence; empty when it can be started
record Candidate(String name, Kind kind, String unavailableBecause, Recipe recipe) {
    enum Kind {
        /// Its handler runs on an event loop.
        INLINE,
        /// Its handler may block: it runs in a pool, or on a virtual thread.
        BLOCKING,
        /// Compared with both kinds, or with proxies of both layers.
        ANY,
        /// Sends fixed responses, and cannot send bodies back.
        WITHOUT_BODIES,
        /// A proxy that passes on bytes.
        LAYER_4,
        /// A proxy that passes on requests and responses.
        LAYER_7,
        /// The backend itself, without a proxy: it runs where the backend does and is compared with both layers.
        DIRECT
    }

    interface Recipe {
        /// What starts it.
        ///
        /// @param site the address to listen on, and what stands behind it
        ServerCommand command(PeerSite site) throws IOException, InterruptedException;
    }

    interface RecipeOf<T> {
        Recipe with(T found);
    }

    /// A candidate that needs something that may be missing here.
    ///
    /// @param missing why it cannot be started without
    static <T> Candidate needing(String name, Kind kind, Optional<T> needed, String missing, RecipeOf<T> recipe) {
        if (needed.isPresent()) return new Candidate(name, kind, "", recipe.with(needed.get()));
        return new Candidate(name, kind, "is not available: " + missing, _ -> {
            throw new IOException(name + " is not available: " + missing);
        });
    }
}
