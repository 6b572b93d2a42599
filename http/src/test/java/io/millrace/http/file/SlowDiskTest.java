package io.millrace.http.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A disk that takes its time keeps nobody waiting but those who asked for its files.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SlowDiskTest {
    @TempDir
    Path folder;

    /// It brings a byte, and the rest when the test says so.
    private static final class Disk extends ScriptedFile {
        final CountDownLatch isAsked = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public int read(ByteBuffer to) {
            isAsked.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            to.put((byte) 'x');
            position++;
            return 1;
        }
    }

    private static Response answer(Request request, Disk disk) {
        if (!request.path().equals("/slow")) return Response.ok("quick");
        return BuiltResponse.of(200, new Body.Stream(new FileBody(Path.of("/slow"), disk, 0, 2), 2));
    }

    @ParameterizedTest
    @EnumSource
    void others_of_its_loop_are_served_meanwhile(Serving.Kind kind) throws Exception {
        var disk = new Disk();
        try (var serving = kind.serve(request -> answer(request, disk));
                var waiting = serving.connect()) {
            waiting.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
            disk.isAsked.await();
            // On each loop there is one.
            for (int i = 0; i < 4; i++) {
                try (var other = serving.connect()) {
                    assertEquals(
                            "quick",
                            other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                                    .read()
                                    .text());
                }
            }
            disk.goOn.countDown();
            assertEquals("xx", waiting.read().text());
        } finally {
            disk.goOn.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_file_of_many_pieces_comes_whole(Serving.Kind kind) throws Exception {
        var content = new byte[3_000_000];
        new Random(7).nextBytes(content);
        var file = Files.write(folder.resolve("a.bin"), content);
        try (var serving = kind.serve(_ -> Response.file(file));
                var peer = serving.connect()) {
            for (int i = 0; i < 3; i++) {
                var got = peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").read();
                assertArrayEquals(content, got.body());
            }
        }
    }
}
