package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// One simple name stands for one type, over the main code of all modules: a reader never has to ask which `Call` it
/// is. Private types do not count, nor do programs that show something.
class NamesTest {
    private static final List<String> SHOW_SOMETHING = List.of("examples");

    private static final Pattern NO_CODE =
            Pattern.compile("//[^\n]*|/\\*.*?\\*/|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"", Pattern.DOTALL);

    private static final Pattern TYPE =
            Pattern.compile("(?m)^ *((?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|@\\w+) +)*)"
                    + "(?:class|record|interface|enum|@interface) +(\\w+)");

    /// Why a name stands for several types, and stays.
    private static final Map<String, String> OF_AN_OWNER = Map.ofEntries(
            Map.entry("Builder", "each is written with its owner: Headers.Builder, Site.Builder"),
            Map.entry("Checked", "each is one of a sealed few: LoadAnswer.Checked, PasswordVerdict.Checked"),
            Map.entry("Decoder", "what undoes a content coding, and Codec.Decoder, half of a codec's"),
            Map.entry("Fields", "each is written with its owner: Forwarding.Fields, HpackDecoder.Fields"),
            Map.entry("Format", "each is written with its owner: AccessLog.Format, MetricsText.Format"),
            Map.entry("Kind", "each is written with its owner: Candidate.Kind, Chart.Kind"),
            Map.entry("Limits", "each is written with its owner: Form.Limits, Multipart.Limits"),
            Map.entry("Part", "a part of a form, RFC 7578, and ByteRange.Part, one of a sealed few"),
            Map.entry("Protocol", "what a lab measures, and Conversation.Protocol, written with its owner"),
            Map.entry("Ready", "each is one of a sealed few: Floor.Ready, LoadAnswer.Ready"),
            Map.entry(
                    "Refused",
                    "what users catch, and Values.Refused, PasswordChecks.Refused, one each of a sealed few"),
            Map.entry("Sink", "each is written with its owner: Decoder.Sink, Encoder.Sink"),
            Map.entry("State", "each is written with its owner: TcpConnection.State, Sample.State"),
            Map.entry("Type", "each is written with its owner: DnsRecord.Type, DnsSource.Type"),
            Map.entry("Whole", "each is one of a sealed few: Body.Whole, ByteRange.Whole"));

    @Test
    void a_simple_name_stands_for_one_type() throws IOException {
        var several = new TreeMap<String, Set<String>>();
        for (var type : types().entrySet()) {
            if (type.getValue().size() > 1 && !isExcepted(type.getKey())) several.put(type.getKey(), type.getValue());
        }
        assertEquals(Map.of(), several, "rename all but one of each, or say why not in OF_AN_OWNER");
    }

    private static boolean isExcepted(String name) {
        return OF_AN_OWNER.containsKey(name);
    }

    @Test
    void every_reason_is_of_a_name_that_stands_for_several_types() throws IOException {
        var types = types();
        var names = new TreeSet<>(OF_AN_OWNER.keySet());
        for (var name : names)
            assertTrue(types.getOrDefault(name, Set.of()).size() > 1, name + " stands for one type: take it out");
    }

    @Test
    void types_are_found_wherever_they_are_declared() throws IOException {
        var types = types();
        assertEquals(List.of("core/io.millrace.Tcp"), List.copyOf(types.getOrDefault("Tcp", Set.of())));
        assertEquals(List.of("core/io.millrace.Dispatch"), List.copyOf(types.getOrDefault("OnPool", Set.of())));
        assertFalse(types.containsKey("Shared"), "a private one");
    }

    /// The files that declare each name, without the private ones.
    private static SortedMap<String, Set<String>> types() throws IOException {
        var types = new TreeMap<String, Set<String>>();
        for (var module : Sources.modules()) {
            if (SHOW_SOMETHING.contains(module.getFileName().toString())) continue;
            var sources = module.resolve(Path.of("src", "main", "java"));
            try (Stream<Path> files = Files.walk(sources)) {
                for (var file : files.filter(NamesTest::hasTypes).toList()) add(module, sources, file, types);
            }
        }
        return types;
    }

    private static boolean hasTypes(Path file) {
        var name = file.getFileName().toString();
        return name.endsWith(".java") && !name.endsWith("-info.java");
    }

    private static void add(Path module, Path sources, Path file, SortedMap<String, Set<String>> types)
            throws IOException {
        var path = sources.relativize(file).toString().replace('/', '.').replace(".java", "");
        var code = NO_CODE.matcher(Files.readString(file)).replaceAll("");
        var match = TYPE.matcher(code);
        while (match.find()) {
            if (match.group(1).contains("private ")) continue;
            types.computeIfAbsent(match.group(2), _ -> new TreeSet<>()).add(module.getFileName() + "/" + path);
        }
    }
}
