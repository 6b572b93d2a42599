package io.millrace.transport;

import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Writes chains to channels, many slabs in one system call; slabs that the kernel took are returned.
final class Gather {
    /// `IOV_MAX` of Linux, which is also what the JDK takes at most, writev(2).
    private static final int ENTRIES = 1024;

    private final SlabPool pool;
    private final @Nullable ByteBuffer[] entries = new ByteBuffer[ENTRIES];

    Gather(SlabPool pool) {
        this.pool = pool;
    }

    /// Writes what the kernel takes now. The rest stays in the chain, which is empty when the kernel took
    /// everything.
    ///
    /// @return how many bytes the kernel took
    long write(SocketChannel channel, Chain chain) throws IOException {
        long total = 0;
        while (chain.size() > 0) {
            int count = Math.min(chain.count(), ENTRIES);
            int behind = chain.count() - count;
            long written = count == 1 ? writeHead(channel, chain) : writeMany(channel, chain, count);
            chain.drop(written, Slab.Owner.KERNEL, pool);
            total += written;
            // A short write means that the kernel has no room; asking again would only cost a system call.
            if (chain.count() > behind) break;
        }
        if (chain.size() == 0) chain.releaseAll(Slab.Owner.KERNEL, pool);
        return total;
    }

    private long writeHead(SocketChannel channel, Chain chain) throws IOException {
        var head = chain.head();
        assert head != null;
        return channel.write(readable(head));
    }

    private long writeMany(SocketChannel channel, Chain chain, int count) throws IOException {
        var slab = chain.head();
        for (int i = 0; i < count && slab != null; i++, slab = slab.next()) entries[i] = readable(slab);
        try {
            return channel.write(entries, 0, count);
        } finally {
            // A view keeps its memory alive, which the pool may want to release.
            Arrays.fill(entries, 0, count, null);
        }
    }

    private static ByteBuffer readable(Slab slab) {
        return slab.view().limit(slab.end).position(slab.start);
    }
}
