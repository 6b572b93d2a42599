package io.millrace.http.jackson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.millrace.bytes.Bytes;
import io.millrace.http.JsonCodec;
import java.lang.reflect.Type;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// A codec has loaded what it needs when it is made: its first JSON may be a loop's.
class JacksonLoadingTest {
    private static final int A_FEW = 40;

    /// As a program has them.
    public record Room(String name, int members, List<String> users) {}

    /// Loads everything anew, and counts.
    private static final class Counting extends URLClassLoader {
        private int loaded;

        Counting() {
            super(
                    Stream.of(
                                    JacksonCodec.class,
                                    JsonCodec.class,
                                    Bytes.class,
                                    ObjectMapper.class,
                                    JsonFactory.class,
                                    JsonTypeInfo.class,
                                    Jdk8Module.class,
                                    JavaTimeModule.class)
                            .map(its ->
                                    its.getProtectionDomain().getCodeSource().getLocation())
                            .toArray(URL[]::new),
                    ClassLoader.getPlatformClassLoader());
        }

        /// The parent has those of all modules, too.
        @Override
        protected Class<?> loadClass(String name, boolean resolves) throws ClassNotFoundException {
            if (!name.startsWith("com.fasterxml.") && !name.startsWith("io.millrace."))
                return super.loadClass(name, resolves);
            synchronized (getClassLoadingLock(name)) {
                var known = findLoadedClass(name);
                if (known != null) return known;
                loaded++;
                return findClass(name);
            }
        }
    }

    @Test
    void the_first_json_loads_next_to_nothing() throws Exception {
        try (var loader = new Counting()) {
            var type = loader.loadClass(JacksonCodec.class.getName());
            var codec = type.getConstructor().newInstance();
            int before = loader.loaded;
            assertTrue(before > 300, () -> before + " classes");
            var room = new Room("lobby", 2, List.of("ann", "bob"));
            var text = type.getMethod("write", Object.class).invoke(codec, room);
            var read = type.getMethod("read", text.getClass(), Type.class).invoke(codec, text, Room.class);
            assertEquals(room, read);
            int after = loader.loaded - before;
            assertTrue(after < A_FEW, () -> after + " classes at the first JSON, and " + before + " before");
        }
    }
}
