// A peer of WebSockets, with the library ws: `ask URL HOW` talks to a server, `serve PORT HOW` to clients. HOW is
// `deflate` or `plain`. What was as it should be is printed as a line of words.
const { WebSocket, WebSocketServer } = require("ws");

const LONG = "some words ".repeat(95325) + "!";
const BYTES = Buffer.from(Uint8Array.from({ length: 1 << 20 }, (_, i) => i * 31 + (i >> 8)));

const [verb, where, how] = process.argv.slice(2);
const perMessageDeflate = how === "deflate" ? { threshold: 100 } : false;
const packing = socket => (socket.extensions.includes("permessage-deflate") ? "deflate" : "plain");

// An event, once: as [code, reason] of a close.
const once = (socket, event) =>
    new Promise((done, fail) => {
        socket.once(event, (...what) => done(what));
        socket.once("error", fail);
    });

async function open() {
    const socket = new WebSocket(where, ["chat.v1", "chat.v2"], { perMessageDeflate });
    const got = [];
    let waiting;
    socket.on("message", (data, isBinary) => {
        got.push(isBinary ? data : data.toString());
        waiting?.();
    });
    socket.next = async () => {
        while (!got.length) await new Promise(done => (waiting = done));
        return got.shift();
    };
    await once(socket, "open");
    return socket;
}

async function ask() {
    const socket = await open();
    const said = [socket.protocol, packing(socket)];
    const check = (name, isRight) => said.push(isRight ? name : "not-" + name);
    const echoes = async message => {
        socket.send(message);
        const got = await socket.next();
        return typeof message === "string" ? got === message : Buffer.compare(got, message) === 0;
    };
    check("text", await echoes("hello äß€😀"));
    check("empty", await echoes(""));
    check("bytes", await echoes(BYTES));
    check("long", await echoes(LONG));

    socket.send("one ", { fin: false });
    socket.ping("between");
    socket.send("two ", { fin: false });
    socket.send("three");
    const [payload] = await once(socket, "pong");
    check("pong", payload.toString() === "between");
    check("parts", (await socket.next()) === "one two three");

    for (let i = 0; i < 100; i++) socket.send("m" + i);
    let inOrder = true;
    for (let i = 0; i < 100; i++) inOrder &&= (await socket.next()) === "m" + i;
    check("burst", inOrder);

    socket.send("close 4001 enough");
    const [code, reason] = await once(socket, "close");
    said.push(code + ":" + reason);

    const second = await open();
    second.close(4002, "bye");
    said.push((await once(second, "close"))[0]);
    console.log(said.join(" "));
}

function serve() {
    const handleProtocols = offered => offered.has("chat.v2") && "chat.v2";
    const server = new WebSocketServer({ host: "127.0.0.1", port: +where, perMessageDeflate, handleProtocols });
    const ends = [];
    let waiting;
    server.on("connection", socket => {
        socket.on("message", async (data, isBinary) => {
            const text = isBinary ? "" : data.toString();
            const [word, code, reason] = text.split(" ");
            if (word === "close") return socket.close(+code, reason);
            if (word === "packing") return socket.send(packing(socket));
            if (word !== "last") return socket.send(data, { binary: isBinary });
            while (!ends.length) await new Promise(done => (waiting = done));
            socket.send(ends.shift());
        });
        socket.on("close", (code, reason) => {
            ends.push(code + ":" + reason);
            waiting?.();
        });
    });
}

if (verb === "serve") serve();
else ask();
