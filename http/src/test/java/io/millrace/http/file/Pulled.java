package io.millrace.http.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A response whose body was taken as a server takes it: waited for, written part by part, and closed.
public record Pulled(int status, Headers headers, Bytes body) {
    public static Pulled of(Response response) throws Exception {
        var answer = arrived(response);
        return new Pulled(answer.status(), answer.headers(), body(answer.content()));
    }

    private static BuiltResponse arrived(Response response) throws Exception {
        var answer = (BuiltResponse) response;
        if (!(answer.content() instanceof Body.Later later)) return answer;
        return (BuiltResponse)
                later.change().apply(later.stage().toCompletableFuture().get(30, TimeUnit.SECONDS));
    }

    private static Bytes body(Body content) throws Exception {
        if (content instanceof Body.Whole whole) return whole.bytes();
        var stream = (Body.Stream) content;
        var file = (FileBody) stream.writer();
        assertTrue(file.isOpen());
        var output = LoopOutput.aside(new SlabPool(64 << 20, true));
        var news = new Semaphore(0);
        file.opened(news::release);
        try {
            while (hasMore(file, output, news)) {}
            assertEquals(stream.length(), output.size());
            return output.toBytes();
        } finally {
            file.onClose();
            assertFalse(file.isOpen());
            output.release();
        }
    }

    private static boolean hasMore(FileBody file, LoopOutput output, Semaphore news) throws Exception {
        long before = output.size();
        boolean hasMore = file.write(output);
        long part = output.size() - before;
        assertTrue(part <= 64 << 10, part + " bytes in one call");
        if (part == 0 && hasMore) assertTrue(news.tryAcquire(30, TimeUnit.SECONDS), "nothing was written, and no news");
        return hasMore;
    }

    /// The files below a directory that this process has open; nothing where the system does not tell.
    public static List<Path> openBelow(Path directory) throws IOException {
        var descriptors = Path.of("/proc/self/fd");
        var open = new ArrayList<Path>();
        if (!Files.isDirectory(descriptors)) return open;
        var real = directory.toRealPath();
        try (var links = Files.newDirectoryStream(descriptors)) {
            for (var link : links) {
                var file = target(link);
                if (file != null && file.startsWith(real)) open.add(file);
            }
        }
        return open;
    }

    private static @Nullable Path target(Path link) {
        try {
            return Files.readSymbolicLink(link);
        } catch (IOException closedMeanwhile) {
            return null;
        }
    }

    public String text() {
        return body.utf8();
    }

    /// The value of a field, or nothing.
    public String field(String name) {
        return headers.first(name).orElse("");
    }
}
