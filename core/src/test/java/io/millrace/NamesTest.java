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
            Map.entry("By", "each is written with its owner: HashKey.By, RateLimitSettings.By"),
            Map.entry("Decoder", "what undoes a content coding, and Codec.Decoder, half of a codec's"),
            Map.entry("Format", "each is written with its owner: AccessLog.Format, MetricsText.Format"),
            Map.entry("Kind", "each is written with its owner: Candidate.Kind, Chart.Kind"),
            Map.entry("Part", "a part of a form, RFC 7578, and ByteRange.Part, one of a sealed few"),
            Map.entry("Prefix", "each is one of a sealed few: PathMatch.Prefix, PathRewrite.Prefix"),
            Map.entry("Ready", "each is one of a sealed few: Floor.Ready, LoadAnswer.Ready"),
            Map.entry(
                    "Refused",
                    "what users catch, and Values.Refused, PasswordChecks.Refused, one each of a sealed few"),
            Map.entry("Setup", "each is written with its owner: EventLoops.Setup, HttpClient.Setup"),
            Map.entry("Sink", "each is written with its owner: Decoder.Sink, Encoder.Sink"),
            Map.entry("State", "each is written with its owner: TcpConnection.State, Sample.State"),
            Map.entry("Type", "each is written with its owner: DnsRecord.Type, EndpointsSettings.Type"));

    /// Names that still stand for several types: who has to rename what.
    private static final Map<String, String> TO_BE_RENAMED = Map.ofEntries(
            Map.entry("Addresses", "proxy: configuration.file.Addresses could be AddressTexts"),
            Map.entry("Answer", "lab: load.Answer could be MeasuredAnswer"),
            Map.entry("Backend", "lab: Backend could be LabBackend; proxy: HostPolicy.Backend could be BackendsName"),
            Map.entry("Change", "lab: Comparison.Change could be Difference"),
            Map.entry("Check", "proxy: upstream.Check could be HealthCheck"),
            Map.entry("Checked", "proxy: configuration.file.Checked could be CheckedFile"),
            Map.entry("ConnectAttempt", "proxy: ConnectAttempt could be BackendConnect"),
            Map.entry("Count", "cli: Count could be CountOption"),
            Map.entry("Fields", "http: h1.Fields could be FieldLines; proxy: ForwardingSettings.Fields could be Names"),
            Map.entry("Framing", "http: h1.Framing could be BodyFraming"),
            Map.entry("Greeting", "lab: process.Greeting could be ListeningLine"),
            Map.entry("Group", "proxy: upstream.Group could be BackendGroup, Watched.Group WatchedGroup"),
            Map.entry("HostPort", "cli: HostPort could be HostPortOption"),
            Map.entry("Lab", "cli: Lab could be LabCommand"),
            Map.entry(
                    "Limits",
                    "cli: Limits could be LimitOptions; http: Form.Limits FormLimits, Multipart.Limits MultipartLimits"),
            Map.entry("ListenOptions", "cli: ListenOptions could be ListenFlags"),
            Map.entry("Listing", "http: file.Listing could be DirectoryPage"),
            Map.entry("Memory", "proxy: admin.Memory could be MemoryUse"),
            Map.entry("Moment", "proxy: admin.Moment could be LoadSample"),
            Map.entry("Network", "lab: process.Network could be TestNetwork"),
            Map.entry("Output", "lab: process.Output could be PrintedLines"),
            Map.entry("Owner", "http: ClientConnection.Owner could be ConnectionOwner"),
            Map.entry("Pattern", "lab: load.Pattern could be BodyPattern"),
            Map.entry("Peer", "lab: Peer could be MeasuredPeer"),
            Map.entry("Place", "proxy: PasswordThreads.Place could be CheckPlace"),
            Map.entry("Problem", "lab: report.Problem could be Unmeasured"),
            Map.entry("Protocol", "lab: Conversation.Protocol is Protocol once more"),
            Map.entry("Reading", "proxy: configuration.shape.Reading could be FileReading"),
            Map.entry("Rule", "proxy: routing.Rule could be RouteRule"),
            Map.entry("Service", "cli: Service could be ServeCommand; proxy: DnsRecord.Service ServiceRecord"),
            Map.entry("Shape", "lab: report.Shape could be LoadShape"),
            Map.entry("Site", "lab: Site could be PeerSite"),
            Map.entry("Standing", "lab: report.Standing could be Ranking"),
            Map.entry("Style", "cli: Echo.Style could be EchoStyle"),
            Map.entry("Target", "proxy: ConnectTargets.Target could be ConnectTarget"),
            Map.entry("Texts", "http: grammar.Texts could be TextCache; proxy: admin.Texts TextAnswers"),
            Map.entry("Verdict", "proxy: PasswordChecks.Verdict could be PasswordVerdict"),
            Map.entry("Watched", "proxy: EndpointsSettings.Watched could be WatchedFile"),
            Map.entry("Whole", "proxy: configuration.shape.Whole could be WholeNumber"),
            Map.entry("Words", "cli: LoadDisplay.Words could be LoadWords"));

    @Test
    void a_simple_name_stands_for_one_type() throws IOException {
        var several = new TreeMap<String, Set<String>>();
        for (var type : types().entrySet()) {
            if (type.getValue().size() > 1 && !isExcepted(type.getKey())) several.put(type.getKey(), type.getValue());
        }
        assertEquals(Map.of(), several, "rename all but one of each, or say why not in OF_AN_OWNER");
    }

    private static boolean isExcepted(String name) {
        return OF_AN_OWNER.containsKey(name) || TO_BE_RENAMED.containsKey(name);
    }

    @Test
    void every_reason_is_of_a_name_that_stands_for_several_types() throws IOException {
        var types = types();
        var names = new TreeSet<>(OF_AN_OWNER.keySet());
        names.addAll(TO_BE_RENAMED.keySet());
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
        for (var module : modules()) {
            var sources = module.resolve(Path.of("src", "main", "java"));
            try (Stream<Path> files = Files.walk(sources)) {
                for (var file : files.filter(NamesTest::hasTypes).toList()) add(module, sources, file, types);
            }
        }
        return types;
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(Sources.ROOT)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve(Path.of("src", "main", "java"))))
                    .filter(folder ->
                            !SHOW_SOMETHING.contains(folder.getFileName().toString()))
                    .sorted()
                    .toList();
        }
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
