package io.millrace.lab.peer.xsocket;

import java.io.IOException;
import org.xsocket.connection.IDataHandler;
import org.xsocket.connection.INonBlockingConnection;

/// In the worker pool: a write waits until the kernel took the bytes, which bounds what one connection can pile up.
final class XSocketPooledEchoHandler implements IDataHandler {
    @Override
    public boolean onData(INonBlockingConnection connection) throws IOException {
        int available = connection.available();
        if (available > 0) {
            connection.write(connection.readByteBufferByLength(available));
        }
        return true;
    }
}
