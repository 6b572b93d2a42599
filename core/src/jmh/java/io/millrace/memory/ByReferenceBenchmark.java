package io.millrace.memory;

import io.millrace.os.Linux;
import io.millrace.os.Msghdr;
import io.millrace.os.SockAddr;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// From which size on a value should be sent from where it is: four messages, each with a header of four bytes, in
/// one gathering write to a socket whose other end reads them. The kernel's part is in both ways; what differs is
/// a copy on one side, entries of the gathering write on the other.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class ByReferenceBenchmark {
    private static final int AF_INET = 2;
    private static final int SOCK_STREAM = 1;
    private static final int MESSAGES = 4;

    @Param({"1024", "4096", "16384", "32768", "65536"})
    int length;

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final Linux linux = new Linux();
    private final Msghdr message = new Msghdr(64);
    private final int[] pair = new int[2];
    private final Slab arrival = pool.take(true, Slab.Owner.KERNEL);

    /// Only the first bytes are sent.
    private final byte[] array = new byte[64 << 10];

    private final MemorySegment value = Arena.ofAuto().allocate(64 << 10);

    /// A TCP connection of the loopback, both ends of it here.
    @Setup
    public void connect() throws IOException {
        int listener = linux.socket(AF_INET, SOCK_STREAM);
        var address = new SockAddr();
        address.set(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), AF_INET);
        linux.bind(listener, address);
        linux.listen(listener, 1);
        linux.getsockname(listener, address);
        pair[0] = linux.socket(AF_INET, SOCK_STREAM);
        linux.connect(pair[0], address);
        pair[1] = linux.accept4(listener, new SockAddr());
        linux.close(listener);
        if (pair[1] < 0) throw new IllegalStateException("no connection: " + pair[1]);
    }

    @TearDown
    public void close() {
        linux.close(pair[0]);
        linux.close(pair[1]);
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public int copied() {
        return exchange(copies());
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public int referredTo() {
        return exchange(references());
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long copiedNotSent() {
        var chain = copies();
        long size = chain.size();
        chain.releaseAll(Slab.Owner.OUTPUT, pool);
        return size;
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long referredToNotSent() {
        var chain = references();
        long size = chain.size();
        chain.releaseAll(Slab.Owner.OUTPUT, pool);
        return size;
    }

    /// A value of its own for each message, as a decoder makes it, on the heap.
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public int madeAndCopied() {
        var output = LoopOutput.aside(pool);
        for (int i = 0; i < MESSAGES; i++) {
            var made = arrival.memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            output.writeInt(length).write(made, 0, length);
        }
        return exchange(output.chain());
    }

    /// The same outside the heap.
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public int madeAndReferredTo() {
        var output = LoopOutput.aside(pool);
        for (int i = 0; i < MESSAGES; i++) {
            var made = Arena.ofAuto().allocate(length).copyFrom(arrival.memory.asSlice(0, length));
            output.writeInt(length);
            output.chain().append(Slab.referringTo(made));
        }
        return exchange(output.chain());
    }

    private Chain copies() {
        var output = LoopOutput.aside(pool);
        for (int i = 0; i < MESSAGES; i++) output.writeInt(length).write(array, 0, length);
        return output.chain();
    }

    private Chain references() {
        var chain = new Chain();
        for (int i = 0; i < MESSAGES; i++) {
            var header = pool.take(false, Slab.Owner.OUTPUT);
            header.end = Integer.BYTES;
            chain.append(header);
            var reference = Slab.referringTo(value);
            reference.end = length;
            chain.append(reference);
        }
        return chain;
    }

    private int exchange(Chain chain) {
        message.clear();
        for (var slab = chain.head(); slab != null; slab = slab.next()) {
            message.add(slab.readAddress(), slab.readable());
        }
        int sent = linux.sendmsg(pair[0], message);
        if (sent != chain.size()) throw new IllegalStateException("sent " + sent);
        chain.releaseAll(Slab.Owner.OUTPUT, pool);
        int received = 0;
        while (received < sent)
            received += Math.max(0, linux.recv(pair[1], arrival.writeAddress(), arrival.capacity()));
        return received;
    }
}
