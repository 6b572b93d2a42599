package io.millrace.proxy;

import io.millrace.testing.Peers;
import java.nio.file.Path;
import java.util.List;

/// A program with WebSockets of others: `ask URL HOW`, `serve PORT HOW`, where HOW is `deflate` or `plain`.
enum SocketPeer {
    /// Of Node.js, with `ws`.
    NODE {
        @Override
        List<String> program(Path folder) throws Exception {
            var modules = Peers.node("ws-8.23.0", "ws@8.23.0");
            return List.of("env", "NODE_PATH=" + modules, "node", source(folder, "peer.js"));
        }
    },

    /// With `websockets`.
    PYTHON {
        @Override
        List<String> program(Path folder) throws Exception {
            var python = Peers.python("websockets-17.4", "websockets==17.4");
            return List.of(python.toString(), source(folder, "peer.py"));
        }
    },

    /// With `coder/websocket`.
    GO {
        @Override
        List<String> program(Path folder) throws Exception {
            var source = Path.of(source(folder, "peer.go"));
            return List.of(Peers.go("coder-websocket-1.8.14", "github.com/coder/websocket@v1.8.14", source)
                    .toString());
        }
    };

    abstract List<String> program(Path folder) throws Exception;

    private static String source(Path folder, String name) {
        return Peers.file(folder, SocketPeer.class, "/websocket/" + name).toString();
    }

    /// What its client says of a server.
    String ask(Path folder, int port, String how) throws Exception {
        return Peers.run(Peers.with(program(folder), "ask", "ws://127.0.0.1:" + port + "/talk", how))
                .strip();
    }

    OtherProxy serve(Path folder, String how) throws Exception {
        return OtherProxy.program(folder, Peers.with(program(folder), "serve", "PORT", how));
    }
}
