package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.HttpVersion;
import io.millrace.http.websocket.WebSocketSettings;
import io.millrace.proxy.admin.Chromium;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.HeadlessBrowser;
import io.millrace.testing.Peers;
import io.millrace.testing.PemFiles;
import io.millrace.tls.Tls;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// WebSockets of ours, server and client, with those of others: `ws` of Node.js, `websockets` of Python,
/// `coder/websocket` of Go, and a page in a browser; directly, and through our proxy, nginx and HAProxy. Each says in
/// words what was as it should be.
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class SocketPeersTest {

    private static final String NGINX = """
            daemon off; master_process off; pid %1$s/nginx.pid; error_log %1$s/error.log;
            events { worker_connections 256; }
            http {
              access_log off;
              client_body_temp_path %1$s/body; proxy_temp_path %1$s/proxy; fastcgi_temp_path %1$s/fastcgi;
              uwsgi_temp_path %1$s/uwsgi; scgi_temp_path %1$s/scgi;
              server {
                listen 127.0.0.1:%2$d;
                location / {
                  proxy_pass http://127.0.0.1:%3$d; proxy_http_version 1.1; proxy_set_header Host $http_host;
                  proxy_set_header Connection upgrade; proxy_set_header Upgrade $http_upgrade;
                }
              }
            }
            """;

    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    private Path folder;

    private static String said(String how, String more) {
        return "chat.v2 " + how + " text empty bytes long" + more + " burst 4001:enough 4002";
    }

    /// How both of its sockets have ended.
    private static Set<String> ends(SocketServer server) throws InterruptedException {
        return new HashSet<>(List.of(server.ended(), server.ended()));
    }

    private static WebSocketSettings settings(String how) {
        return WebSocketSettings.standard().subprotocols("chat.v2").compresses(how.equals("deflate"));
    }

    // Our server.

    /// @param port of the server, or of a proxy before it
    private void assertTalks(SocketPeer peer, String how, int port, SocketServer server) throws Exception {
        assertEquals(said(how, " pong parts"), peer.ask(folder, port, "deflate"));
        assertEquals(Set.of("4001:enough", "4002:bye"), ends(server));
    }

    @ParameterizedTest
    @CsvSource({"NODE, deflate", "NODE, plain", "PYTHON, deflate", "PYTHON, plain", "GO, deflate", "GO, plain"})
    void clients_of_others_talk_to_our_server(SocketPeer peer, String how) throws Exception {
        try (var server = SocketServer.start(settings(how))) {
            assertTalks(peer, how, server.port(), server);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"deflate", "plain"})
    void through_our_proxy_over_each_version(String how) throws Exception {
        for (var version : List.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2)) {
            try (var server = SocketServer.start(settings(how));
                    var proxy = Proxying.Kind.EPOLL_SAME.to(upstream -> upstream.version(version), server.uri())) {
                assertTalks(SocketPeer.NODE, how, proxy.server().port(), server);
            }
        }
    }

    private OtherProxy start(OtherProxy.Program program, int port) throws Exception {
        return program.start(folder, program == OtherProxy.Program.NGINX ? NGINX : OtherProxy.haproxy(""), port);
    }

    @ParameterizedTest
    @CsvSource({"NGINX, deflate", "NGINX, plain", "HAPROXY, deflate", "HAPROXY, plain"})
    void through_proxies_of_others(OtherProxy.Program program, String how) throws Exception {
        try (var server = SocketServer.start(settings(how));
                var proxy = start(program, server.port())) {
            assertTalks(SocketPeer.NODE, how, proxy.port(), server);
        }
    }

    /// In clear text over HTTP/1.1, over TLS on the stream of HTTP/2 beside the page's.
    @ParameterizedTest
    @CsvSource({"true, deflate", "true, plain", "false, deflate", "false, plain"})
    void a_page_in_a_browser_talks_to_its_server(boolean isSecure, String how) throws Exception {
        var files = PemFiles.make(folder, "server", "localhost");
        var tls = Tls.server(files.chain(), files.key()).speaking("h2", "http/1.1");
        var page = Files.readString(Peers.file(folder, SocketPeersTest.class, "/websocket/page.html"));
        try (var server = SocketServer.start(settings(how), page, to -> isSecure ? to.through(tls) : to);
                var chromium = Chromium.start(folder, HeadlessBrowser.trusting(files))) {
            var scheme = isSecure ? "https" : "http";
            chromium.open(URI.create(scheme + "://localhost:" + server.port() + "/"), 800, false);
            chromium.await("document.title != 'talking' && document.title != ''");
            assertEquals(said(how, ""), chromium.value("document.title").asText());
            assertEquals(Set.of("4001:enough", "4002:bye"), ends(server));
            assertEquals(isSecure ? Set.of("HTTP/2.0") : Set.of("HTTP/1.1"), server.protocols());
        }
    }

    // Our client.

    private static void assertTalks(HttpVersion version, String how, int port) throws Exception {
        try (var client = SocketClient.of(version, settings(how))) {
            assertEquals(said(how, "") + " ends:[4001:, 4002:bye]", client.talk("http://127.0.0.1:" + port + "/talk"));
        }
    }

    @ParameterizedTest
    @CsvSource({"NODE, deflate", "NODE, plain", "PYTHON, deflate", "PYTHON, plain", "GO, deflate", "GO, plain"})
    void our_client_talks_to_servers_of_others(SocketPeer peer, String how) throws Exception {
        try (var server = peer.serve(folder, "deflate")) {
            assertTalks(HttpVersion.HTTP_1_1, how, server.port());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"deflate", "plain"})
    void and_through_our_proxy_over_HTTP_2(String how) throws Exception {
        try (var server = SocketPeer.NODE.serve(folder, "deflate");
                var proxy = Proxying.Kind.EPOLL_SAME.to("http://127.0.0.1:" + server.port())) {
            assertTalks(HttpVersion.HTTP_2, how, proxy.server().port());
        }
    }

    @ParameterizedTest
    @CsvSource({"NGINX, deflate", "NGINX, plain", "HAPROXY, deflate", "HAPROXY, plain"})
    void and_through_proxies_of_others(OtherProxy.Program program, String how) throws Exception {
        try (var server = SocketPeer.NODE.serve(folder, "deflate");
                var proxy = start(program, server.port())) {
            assertTalks(HttpVersion.HTTP_1_1, how, proxy.port());
        }
    }
}
