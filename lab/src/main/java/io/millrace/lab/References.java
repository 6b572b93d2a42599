package io.millrace.lab;

import io.millrace.lab.Candidate.Kind;
import io.millrace.lab.process.Programs;
import io.millrace.lab.process.ServerCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// HTTP servers other than JVMs, one thread each, to compare with: nginx, Go's `net/http` and Rust's hyper. The
/// last two are compiled when they are started for the first time, which takes a minute or two and, for hyper,
/// the registry of its language.
final class References {
    private static final String GO = "go-net-http";
    private static final int COMPILER_PATIENCE_SECONDS = 900;

    private static final String PLAINTEXT = """
            server {
                listen {address} backlog=1024;
                location = /plaintext {
                    return 200 "Hello, World!";
                }
            }
            """;

    private static final String HTTP_1 = "http1";
    private static final String HTTP_2 = "http2";

    private final Path home;
    private final Path sources;
    private final Path binaries;

    private References(Path home) {
        this.home = home;
        sources = home.resolve("bench");
        binaries = home.resolve(".millrace").resolve("floors");
    }

    static List<Candidate> of(Path home) {
        var references = new References(home.toAbsolutePath().normalize());
        return List.of(
                candidate("nginx", "nginx", references::nginx),
                candidate(GO, "go", site -> references.go(site, HTTP_1)),
                candidate("rust-hyper", "cargo", site -> references.hyper(site, HTTP_1)));
    }

    static Candidate goOverTls(Path home) {
        var references = new References(home.toAbsolutePath().normalize());
        return candidate(GO, "go", site -> references.go(site, HTTP_1));
    }

    /// Those that are compiled, for HTTP/2.
    static List<Candidate> ofHttp2(Path home) {
        var references = new References(home.toAbsolutePath().normalize());
        return List.of(
                candidate(GO, "go", site -> references.go(site, HTTP_2)),
                candidate("rust-hyper", "cargo", site -> references.hyper(site, HTTP_2)));
    }

    /// Node's `ws`, and Go with the library of gorilla.
    static List<Candidate> ofWebSockets(Path home) {
        var references = new References(home.toAbsolutePath().normalize());
        return List.of(
                candidate("node-ws", "npm", references::node), candidate("go-gorilla", "go", references::gorilla));
    }

    private static List<String> pair(PeerSite site) {
        if (!site.isSecure()) return List.of();
        return List.of(site.fill("{identity}/chain.pem"), site.fill("{identity}/key.pem"));
    }

    private static Candidate candidate(String name, String program, Candidate.Recipe recipe) {
        boolean isThere = Programs.find(program).isPresent();
        var why = isThere ? "" : "is not available: no " + program + " on the PATH";
        return new Candidate(name, Kind.ANY, why, recipe);
    }

    private ServerCommand nginx(PeerSite site) throws IOException {
        var nginx = Nginx.find(home).orElseThrow(() -> new IOException("nginx is gone"));
        return nginx.http("nginx", site.host(), PLAINTEXT);
    }

    // Those that are compiled.

    private ServerCommand go(PeerSite site, String version) throws IOException, InterruptedException {
        var source = sources.resolve("http_go").resolve("main.go");
        var binary = binaries.resolve("http_go");
        if (Compilation.isNeeded(binary, List.of(source))) {
            var fresh = fresh(binary);
            try {
                compile("Go compiler", List.of("go", "build", "-o", fresh.toString(), source.toString()));
                replace(binary, fresh);
            } finally {
                Files.deleteIfExists(fresh);
            }
        }
        return command(GO, binary, site, version);
    }

    /// A module, which needs the registry of its language once.
    private ServerCommand gorilla(PeerSite site) throws IOException, InterruptedException {
        var project = sources.resolve("ws_go");
        var binary = binaries.resolve("ws_go");
        var all = List.of(project.resolve("go.mod"), project.resolve("go.sum"), project.resolve("main.go"));
        if (Compilation.isNeeded(binary, all)) {
            var fresh = fresh(binary);
            try {
                compile("Go compiler", List.of("go", "build", "-C", project.toString(), "-o", fresh.toString(), "."));
                replace(binary, fresh);
            } finally {
                Files.deleteIfExists(fresh);
            }
        }
        return new ServerCommand("go-gorilla", List.of(binary.toString(), "0", site.host()), Optional.empty());
    }

    /// Its library is installed where the program is copied to, by npm.
    private ServerCommand node(PeerSite site) throws IOException, InterruptedException {
        var project = sources.resolve("ws_node");
        var folder = binaries.resolve("ws_node");
        var program = folder.resolve("main.js");
        var all = List.of("package.json", "package-lock.json", "main.js").stream()
                .map(project::resolve)
                .toList();
        if (Compilation.isNeeded(program, all)) {
            Files.createDirectories(folder);
            for (var file : all)
                Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            Files.delete(program);
            compile("installer npm", List.of("npm", "ci", "--no-audit", "--no-fund", "--prefix", folder.toString()));
            Files.copy(all.getLast(), program);
        }
        return new ServerCommand("node-ws", List.of("node", program.toString(), "0", site.host()), Optional.empty());
    }

    private ServerCommand hyper(PeerSite site, String version) throws IOException, InterruptedException {
        var project = sources.resolve("http_hyper");
        var recipe = project.resolve("Cargo.toml");
        var binary = binaries.resolve("http_hyper");
        var all = List.of(recipe, project.resolve("Cargo.lock"), project.resolve("src/main.rs"));
        if (Compilation.isNeeded(binary, all)) {
            var target = binaries.resolve("cargo");
            compile(
                    "Rust compiler",
                    List.of(
                            "cargo",
                            "build",
                            "--release",
                            "--locked",
                            "--manifest-path",
                            recipe.toString(),
                            "--target-dir",
                            target.toString()));
            var fresh = fresh(binary);
            Files.copy(target.resolve("release/http_hyper"), fresh, StandardCopyOption.REPLACE_EXISTING);
            replace(binary, fresh);
        }
        return command("rust-hyper", binary, site, version);
    }

    /// Two labs may compile at once, and one may still run what another replaces.
    private Path fresh(Path binary) throws IOException {
        Files.createDirectories(binaries);
        return binaries.resolve(
                binary.getFileName() + "." + ProcessHandle.current().pid());
    }

    private static void compile(String compiler, List<String> words) throws IOException, InterruptedException {
        Compilation.run(compiler, words, COMPILER_PATIENCE_SECONDS);
    }

    private static void replace(Path binary, Path fresh) throws IOException {
        Files.move(fresh, binary, StandardCopyOption.ATOMIC_MOVE);
    }

    private static ServerCommand command(String name, Path binary, PeerSite site, String version) {
        var words = Stream.concat(Stream.of(binary.toString(), "0", site.host(), version), pair(site).stream());
        return new ServerCommand(name, words.toList(), Optional.empty());
    }
}
