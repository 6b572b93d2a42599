package io.millrace.http.h1;

import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;

/// An output beside that of the connection: what is put together before it is known how long it is.
final class Aside {
    private static final LoopOutput.Watcher NOBODY = new LoopOutput.Watcher() {
        @Override
        public void outputBegan() {}

        @Override
        public void outputIsFull() {}
    };

    private Aside() {}

    static LoopOutput from(SlabSource source) {
        return new LoopOutput(source, Long.MAX_VALUE, NOBODY);
    }
}
