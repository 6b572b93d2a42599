package io.millrace.lab.peer.xsocket;

import java.io.IOException;
import java.util.List;
import org.xsocket.Execution;
import org.xsocket.connection.IConnectHandler;
import org.xsocket.connection.IConnection;
import org.xsocket.connection.IDataHandler;
import org.xsocket.connection.INonBlockingConnection;
import org.xsocket.connection.IWriteCompletionHandler;

/// Echoes without waiting; a connection with much left to send is not read until it was sent. xSocket calls it in the
/// worker pool.
class XSocketEchoHandler implements IConnectHandler, IDataHandler {
    private static final int PENDING_BYTES_LIMIT = 256 * 1024;

    @Override
    public boolean onConnect(INonBlockingConnection connection) throws IOException {
        connection.setOption(IConnection.TCP_NODELAY, true);
        return true;
    }

    @Override
    public boolean onData(INonBlockingConnection connection) throws IOException {
        int available = connection.available();
        if (available <= 0) {
            return true;
        }
        var message = connection.readByteBufferByLength(available);
        if (connection.getPendingWriteDataSize() < PENDING_BYTES_LIMIT) {
            connection.write(message);
        } else {
            connection.suspendReceiving();
            connection.write(List.of(message), new Resume(connection));
        }
        return true;
    }

    @Execution(Execution.NONTHREADED)
    private record Resume(INonBlockingConnection connection) implements IWriteCompletionHandler {
        @Override
        public void onWritten(int count) throws IOException {
            connection.resumeReceiving();
        }

        @Override
        public void onException(IOException reason) {
            try {
                connection.close();
            } catch (IOException alreadyGone) {
                // The client is gone either way.
            }
        }
    }
}
