package io.millrace.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Tcp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealSocketsTest {
    @Test
    void one_wrong_byte_is_noticed() throws Exception {
        try (var server = serverThatChanges(70_001);
                var loops = EventLoops.of(1)) {
            var settings = LoadSettings.to(server.getLocalSocketAddress())
                    .connections(1)
                    .size(700)
                    .warmUp(Duration.ZERO)
                    .messages(1000);
            var result = RunningLoad.start(settings, loops).await(LoadWatch.nobody());
            assertEquals("byte 1 of message 100 on connection 0 came back wrong", result.firstError());
            assertEquals(100, result.messages());
        }
    }

    /// An echo server for one connection.
    private static ServerSocket serverThatChanges(int byteNumber) throws IOException {
        var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try (var socket = server.accept()) {
                var bytes = new byte[8192];
                int position = 0;
                for (int read; (read = socket.getInputStream().read(bytes)) > 0; position += read) {
                    int wrong = byteNumber - position;
                    if (wrong >= 0 && wrong < read) bytes[wrong] ^= 1;
                    socket.getOutputStream().write(bytes, 0, read);
                }
            } catch (IOException _) {
                // The load drops the connection as soon as it sees what it came for.
            }
        });
        return server;
    }

    @Test
    void several_loops_share_the_work_and_a_watch_hears_of_it() throws Exception {
        try (var loops = EventLoops.of(2);
                var server = Tcp.listen(here(loops), conn -> in -> conn.output().move(in))) {
            var heard = new ArrayList<LoadProgress>();
            var settings = LoadSettings.to(server.address())
                    .connections(10)
                    .depth(3)
                    .warmUp(Duration.ZERO)
                    .duration(Duration.ofSeconds(1));
            var result = RunningLoad.start(settings, loops).await(heard::add);
            assertEquals("", result.firstError());
            assertTrue(result.messages() > 0);
            assertTrue(heard.getFirst().messages() > 0, heard::toString);
            assertEquals(0, heard.getLast().errors());
        }
    }

    @Test
    void a_result_is_written_as_json(@TempDir Path folder) throws Exception {
        try (var loops = EventLoops.of(1);
                var server = Tcp.listen(here(loops), conn -> in -> conn.output().move(in))) {
            var settings =
                    LoadSettings.to(server.address()).warmUp(Duration.ZERO).messages(123);
            var result = RunningLoad.start(settings, loops).await(LoadWatch.nobody());
            var file = folder.resolve("result.json");
            LoadJson.write(file, settings, result);
            var json = Files.readString(file);
            assertTrue(json.contains("\"messages\" : 123"), json);
            assertTrue(json.contains("\"p999Micros\" : " + result.latency().p999Micros()), json);
        }
    }

    private static Listen here(EventLoops loops) {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }
}
