// The WebSocket workloads of the lab with Node and ws: /ws sends each message back, /ws/chat to all that are there.
// Usage: node main.js PORT ADDRESS. Port 0 takes a free one.
'use strict';

const http = require('node:http');
const { WebSocket, WebSocketServer } = require('ws');

const [port, address] = process.argv.slice(2);
if (address === undefined) {
  console.error('node main.js PORT ADDRESS');
  process.exit(2);
}

const options = { noServer: true, perMessageDeflate: true };
const echo = new WebSocketServer(options);
const chat = new WebSocketServer(options);

echo.on('connection', (socket) => {
  socket.on('error', () => {});
  socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary }));
});

chat.on('connection', (socket) => {
  socket.on('error', () => {});
  socket.on('message', (message, isBinary) => {
    for (const each of chat.clients) {
      if (each.readyState === WebSocket.OPEN) each.send(message, { binary: isBinary });
    }
  });
});

const server = http.createServer((_, response) => response.writeHead(404).end());
server.on('upgrade', (request, socket, head) => {
  const sockets = request.url === '/ws/chat' ? chat : echo;
  sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request));
});
server.listen({ port: Number(port), host: address, backlog: 1024 }, () => {
  console.log(`listening on ${server.address().address}:${server.address().port}`);
});
