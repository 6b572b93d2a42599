package io.millrace.proxy.service;

import io.millrace.proxy.RawClient;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;

/// A proxy of a test, as the text of a file says.
record Serving(ProxyService service) implements AutoCloseable {
    static Serving of(String text) throws IOException {
        return new Serving(ProxyService.start(configuration(text)));
    }

    static Configuration configuration(String text) {
        return switch (ConfigurationFile.parse("test.yaml", Path.of("."), text, Map.of())) {
            case CheckedFile.Good good -> good.configuration();
            case CheckedFile.Bad bad -> throw new AssertionError(bad.problems());
        };
    }

    RawClient connect() throws IOException {
        return new RawClient(((InetSocketAddress) service.addresses().getFirst()).getPort());
    }

    @Override
    public void close() {
        service.close();
    }
}
