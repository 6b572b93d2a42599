package io.millrace.http;

import io.millrace.bytes.Overflow;
import io.millrace.loop.EventLoop;
import io.millrace.memory.LoopOutput;
import io.millrace.net.Loop;

/// All memory that a loop has left, until this is closed. On the loop.
public record AllMemory(LoopOutput taken) implements AutoCloseable {
    public static AllMemory of(Loop loop) {
        var all = LoopOutput.aside(EventLoop.of(loop).pool());
        try {
            while (true) all.write(new byte[1024], 0, 1024);
        } catch (Overflow _) {
            return new AllMemory(all);
        }
    }

    @Override
    public void close() {
        taken.release();
    }
}
