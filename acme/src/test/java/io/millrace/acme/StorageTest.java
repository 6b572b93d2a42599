package io.millrace.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.acme.AcmeSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The files of certificates.
class StorageTest {
    @TempDir
    private Path folder;

    private AcmeSettings settings;

    @BeforeEach
    void settings_name_a_folder_that_is_missing() {
        settings = AcmeSettings.of(folder.resolve("acme"), "www.example.test");
    }

    private static String mode(Path of) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(of));
    }

    @Test
    void the_folder_and_its_files_are_the_owners_alone() throws IOException {
        assertTrue(new Storage().isOurs(settings));
        Storage.replace(settings.file(), "one");
        assertEquals("rwx------", mode(settings.storage()));
        assertEquals("rw-------", mode(settings.file()));
        assertEquals("rw-------", mode(settings.storage().resolve("lock")));
    }

    @Test
    void a_folder_that_others_may_use_is_refused_with_the_remedy() throws IOException {
        Files.createDirectory(settings.storage());
        Files.setPosixFilePermissions(settings.storage(), PosixFilePermissions.fromString("rwxr-x---"));
        var refusal = assertThrows(IllegalArgumentException.class, () -> new Storage().isOurs(settings));
        assertTrue(
                String.valueOf(refusal.getMessage()).contains("chmod 700 " + settings.storage()), refusal.toString());
    }

    @Test
    void a_certificate_that_others_may_read_is_refused_with_the_remedy() throws IOException {
        assertTrue(new Storage().isOurs(settings));
        Storage.replace(settings.file(), "one");
        Files.setPosixFilePermissions(settings.file(), PosixFilePermissions.fromString("rw-r--r--"));
        var refusal = assertThrows(IllegalArgumentException.class, settings::identity);
        assertTrue(String.valueOf(refusal.getMessage()).contains("chmod 600 " + settings.file()), refusal.toString());
    }

    @Test
    void what_a_killed_process_left_half_written_does_not_count() throws IOException {
        assertTrue(new Storage().isOurs(settings));
        Storage.replace(settings.file(), "one");
        var half = settings.storage().resolve("www.example.test.pem.new");
        Files.writeString(half, "tw");
        assertEquals("one", Files.readString(settings.file()));
        Storage.replace(settings.file(), "two");
        assertEquals("two", Files.readString(settings.file()));
        assertFalse(Files.exists(half));
    }

    @Test
    void one_of_several_renews_until_it_ends() throws IOException {
        var first = new Storage();
        var second = new Storage();
        assertTrue(first.isOurs(settings));
        assertFalse(second.isOurs(settings));
        first.close();
        assertTrue(second.isOurs(settings));
        assertFalse(first.isOurs(settings), "it has ended for good");
        second.close();
    }

    @Test
    void directories_have_accounts_of_their_own() {
        var other = settings.directory(URI.create("https://staging.test/directory"));
        assertFalse(Storage.account(settings).equals(Storage.account(other)));
    }
}
