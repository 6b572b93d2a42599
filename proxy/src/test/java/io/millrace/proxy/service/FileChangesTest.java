package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileChangesTest {
    @TempDir
    private Path folder;

    private Path file;
    private FileChanges changes;

    @BeforeEach
    void start() throws IOException {
        file = folder.resolve("proxy.yaml");
        write("access: {deny: [10.0.0.0/8]}");
        changes = new FileChanges(file);
    }

    private void write(String text) throws IOException {
        Files.writeString(file, text);
    }

    @Test
    void a_file_that_stays_has_not_changed() {
        assertFalse(changes.isChanged());
        assertFalse(changes.isChanged());
    }

    @Test
    void a_file_that_is_half_written_is_left_alone_until_it_is_whole() throws IOException {
        write("access: ");
        assertFalse(changes.isChanged());
        write("access: {deny: ");
        assertFalse(changes.isChanged());
        write("access: {deny: [10.0.0.0/8, 192.0.2.0/24]}");
        assertFalse(changes.isChanged());
        assertTrue(changes.isChanged());
        changes.taken();
        assertFalse(changes.isChanged());
    }

    @Test
    void a_file_that_was_written_anew_with_the_same_text_has_not_changed() throws IOException {
        write("access: {deny: [10.0.0.0/8]}");
        Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        assertFalse(changes.isChanged());
        assertFalse(changes.isChanged());
    }

    @Test
    void another_text_of_the_same_length_is_a_change() throws IOException {
        var before = Files.getLastModifiedTime(file);
        write("access: {deny: [10.0.0.0/9]}");
        Files.setLastModifiedTime(file, before);
        assertFalse(changes.isChanged());
        assertTrue(changes.isChanged());
    }

    @Test
    void a_file_that_is_gone_while_another_takes_its_place_has_not_changed() throws IOException {
        Files.delete(file);
        assertFalse(changes.isChanged());
        write("access: {deny: [10.0.0.0/8]}");
        assertFalse(changes.isChanged());
        assertFalse(changes.isChanged());
    }

    @Test
    void a_file_that_stays_away_is_a_change_once() throws IOException {
        Files.delete(file);
        assertFalse(changes.isChanged());
        assertTrue(changes.isChanged());
        changes.taken();
        assertFalse(changes.isChanged());
    }

    @Test
    void a_file_that_comes_to_fit_a_pattern_is_a_change_and_one_that_does_not_is_none() throws IOException {
        assertTrue(changes.with(List.of(folder.resolve("*.part"))));
        Files.writeString(folder.resolve("a.tmp"), "");
        assertFalse(changes.isChanged());
        assertFalse(changes.isChanged());
        Files.writeString(folder.resolve("a.part"), "");
        assertFalse(changes.isChanged());
        assertTrue(changes.isChanged());
    }

    @Test
    void a_star_in_the_name_of_a_file_that_is_there_is_a_star() throws IOException {
        var wild = folder.resolve("*.example.pem");
        Files.writeString(wild, "one");
        assertTrue(changes.with(List.of(wild)));
        Files.writeString(wild, "two");
        assertFalse(changes.isChanged());
        assertTrue(changes.isChanged());
    }
}
