package io.millrace.lab.peer.tio;

import io.millrace.lab.peer.HttpPeer;
import org.tio.core.ChannelContext;
import org.tio.core.Tio;
import org.tio.http.common.HttpRequest;
import org.tio.http.common.HttpResponse;
import org.tio.websocket.common.WsRequest;
import org.tio.websocket.common.WsResponse;
import org.tio.websocket.server.handler.IWsMsgHandler;

/// Sends a message of text back, or to all, as its path says.
final class TioWebSocketHandler implements IWsMsgHandler {
    private static final String CHAT = "chat";

    @Override
    public HttpResponse handshake(HttpRequest request, HttpResponse response, ChannelContext context) {
        return response;
    }

    @Override
    public void onAfterHandshaked(HttpRequest request, HttpResponse response, ChannelContext context) {
        if (request.getRequestLine().getPath().equals(HttpPeer.SOCKET_CHAT)) {
            context.set(CHAT, true);
            Tio.bindGroup(context, CHAT);
        }
    }

    @Override
    public Object onText(WsRequest request, String text, ChannelContext context) {
        if (context.get(CHAT) == null) return text;
        Tio.sendToGroup(context.tioConfig, CHAT, WsResponse.fromText(text, "utf-8"));
        return null;
    }

    @Override
    public Object onBytes(WsRequest request, byte[] bytes, ChannelContext context) {
        return null;
    }

    @Override
    public Object onClose(WsRequest request, byte[] bytes, ChannelContext context) {
        Tio.remove(context, "closed by the peer");
        return null;
    }
}
