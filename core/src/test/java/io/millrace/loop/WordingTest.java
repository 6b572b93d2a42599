package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordingTest {
    @Test
    void an_address_is_written_as_files_and_commands_take_it() throws UnknownHostException {
        var v4 = InetAddress.getByAddress("name", new byte[] {127, 0, 0, 1});
        assertEquals("127.0.0.1:80", Wording.of(new InetSocketAddress(v4, 80)));
        assertEquals("[fe80::1]:80", Wording.of(new InetSocketAddress(InetAddress.ofLiteral("fe80::1"), 80)));
        assertEquals("app.internal:80", Wording.of(InetSocketAddress.createUnresolved("app.internal", 80)));
        assertEquals("unix:/run/app", Wording.of(UnixDomainSocketAddress.of("/run/app")));
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT0.25S, 250 ms",
        "PT1S, 1 s",
        "PT0.0000005S, 500 ns",
        "PT1.5S, 1500 ms",
        "PT1.2345678S, 1234 ms",
        "PT12.9S, 12 s",
        "PT59S, 59 s",
        "PT60S, 1 min",
        "PT90.2S, 1 min 30 s",
        "PT59M59S, 59 min 59 s",
        "PT1H, 1 h",
        "PT1H0M9S, 1 h",
        "PT26H3M, 26 h 3 min",
    })
    void a_time_is_told_in_the_units_of_people(Duration time, String text) {
        assertEquals(text, Wording.of(time));
    }

    @Test
    void a_failure_with_a_file_is_told_without_the_name_of_a_class() {
        assertEquals("there is no file a", Wording.of(new NoSuchFileException("a")));
        assertEquals("this user may not use a", Wording.of(new AccessDeniedException("a")));
        assertEquals("a is not a folder", Wording.of(new NotDirectoryException("a")));
        assertEquals("a: Is a directory", Wording.of(new FileSystemException("a", null, "Is a directory")));
        assertEquals("a (No such file)", Wording.of(new FileNotFoundException("a (No such file)")));
        assertEquals("java.io.IOException", Wording.of(new IOException()));
    }
}
