// broadcast_epoll: the floor of a broadcast. One thread, level-triggered epoll, send(2) to each member.
// usage: broadcast_epoll PORT [ADDRESS [together]]      port 0 takes a free one; prints "listening on ADDRESS:PORT"
//
// Every connection asks for a WebSocket (RFC 6455), at any path, and is a member of one room. Each message of text or
// bytes, of up to 64 KiB in one frame, goes to all members, its sender too, as one unmasked frame: the same bytes to
// each socket. Pings are answered. What a member does not take waits in a queue of its own, of up to 1 MiB: it misses
// the messages that do not fit. No compression is agreed on. With "together", what arrived in one round of epoll_wait, or up to
// 64 KiB of it, goes to each member in one send.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_IN = 65536 + 14, MOST_QUEUE = 1 << 20 };
typedef struct { int fd, place, len, waits, waiting, room; char isMember, isOver, *in, *queue; } conn;
static conn **members; static int count, places, ep;
static char input[MOST_IN], frame[MOST_IN]; // of the message that arrives, and of what is sent
static char gathered[2 * MOST_IN]; static int together, gatheredBytes; // for all members

static void watch(conn *c, int op, int what) {
  struct epoll_event e = {what, {.ptr = c}};
  epoll_ctl(ep, op, c->fd, &e);
}

static void leave(conn *c) {
  if (c->isMember) { members[c->place] = members[--count]; members[c->place]->place = c->place; }
  c->isMember = 0;
}

// It is freed when epoll tells of its end: events of this round may still name it.
static void end(conn *c) { leave(c); c->isOver = 1; shutdown(c->fd, SHUT_RDWR); }

static void release(conn *c) { leave(c); close(c->fd); free(c->in); free(c->queue); free(c); }

static void enqueue(conn *c, const char *bytes, int length) {
  if (c->waiting + length > c->room) {
    c->room = 2 * (c->waiting + length);
    c->queue = realloc(c->queue, c->room);
  }
  memcpy(c->queue + c->waiting, bytes, length);
  c->waiting += length;
  if (!c->waits) { c->waits = 1; watch(c, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT); }
}

static void send_to(conn *c, const char *bytes, int length) {
  if (c->waiting) { if (c->waiting + length <= MOST_QUEUE) enqueue(c, bytes, length); return; }
  ssize_t sent = send(c->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == length) return;
  if (sent < 0 && errno != EAGAIN) return; // epoll tells of its end
  enqueue(c, bytes + (sent < 0 ? 0 : sent), length - (sent < 0 ? 0 : sent));
}

static void flush(conn *c) {
  ssize_t sent = send(c->fd, c->queue, c->waiting, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent <= 0) return;
  memmove(c->queue, c->queue + sent, c->waiting - sent);
  if ((c->waiting -= sent)) return;
  free(c->queue); c->queue = 0; c->room = c->waits = 0;
  watch(c, EPOLL_CTL_MOD, EPOLLIN);
}

static int header(char *to, int first, uint64_t length) {
  int more = length < 126 ? 0 : length < 65536 ? 2 : 8;
  to[0] = first; to[1] = more == 0 ? length : more == 2 ? 126 : 127;
  for (int i = 0; i < more; i++) to[2 + i] = length >> 8 * (more - 1 - i);
  return 2 + more;
}

// Handshakes: SHA-1 of FIPS 180-4, of fewer than 120 bytes, in base64.

static uint32_t rotl(uint32_t x, int n) { return x << n | x >> (32 - n); }

static void sha1(const char *text, size_t length, unsigned char digest[20]) {
  uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, w[80];
  unsigned char block[128] = {0};
  size_t size = length < 56 ? 64 : 128;
  memcpy(block, text, length); block[length] = 0x80;
  block[size - 2] = length >> 5; block[size - 1] = length << 3;
  for (size_t at = 0; at < size; at += 64) {
    for (int i = 0; i < 16; i++) { uint32_t x; memcpy(&x, block + at + 4 * i, 4); w[i] = ntohl(x); }
    for (int i = 16; i < 80; i++) w[i] = rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 80; i++) {
      uint32_t f = i < 20 ? ((b & c) | (~b & d)) + 0x5a827999 : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                 : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc : (b ^ c ^ d) + 0xca62c1d6;
      uint32_t t = rotl(a, 5) + f + e + w[i];
      e = d; d = c; c = rotl(b, 30); b = a; a = t;
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e;
  }
  for (int i = 0; i < 5; i++) { uint32_t x = htonl(h[i]); memcpy(digest + 4 * i, &x, 4); }
}

static void base64(const unsigned char digest[20], char text[29]) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0, o = 0; i < 21; i += 3, o += 4) {
    uint32_t x = digest[i] << 16 | digest[i + 1] << 8 | (i < 18 ? digest[i + 2] : 0);
    for (int k = 0; k < 4; k++) text[o + k] = digits[x >> (18 - 6 * k) & 63];
  }
  text[27] = '='; text[28] = 0;
}

// Returns how many bytes the request takes, 0 if it is not complete, -1 if it asks for something else.
static int upgrade(conn *c, char *in, int length) {
  char *over = memmem(in, length, "\r\n\r\n", 4);
  if (!over) return length < 8192 ? 0 : -1;
  *over = 0;
  char *key = strcasestr(in, "\r\nsec-websocket-key:"), all[128], accept[29], answer[256];
  if (!key) return -1;
  for (key += 20; *key == ' '; key++) {}
  int size = snprintf(all, sizeof all, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", (int) strcspn(key, " \r"), key);
  if (size >= 100) return -1;
  unsigned char digest[20];
  sha1(all, size, digest);
  base64(digest, accept);
  send_to(c, answer, sprintf(answer, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                                     "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", accept));
  if (count == places) members = realloc(members, (places = 2 * places + 64) * sizeof *members);
  c->isMember = 1; c->place = count; members[count++] = c;
  return over + 4 - in;
}

static void send_gathered(void) {
  for (int i = 0; i < count; i++) send_to(members[i], gathered, gatheredBytes);
  gatheredBytes = 0;
}

static void send_to_all(int length) {
  memcpy(gathered + gatheredBytes, frame, length);
  gatheredBytes += length;
  if (!together || gatheredBytes >= 65536) send_gathered();
}

// Returns how many bytes the frame takes, 0 if it is not complete, -1 if the connection is over.
static int receive_frame(conn *c, char *in, int length) {
  unsigned char *at = (unsigned char *) in;
  if (length < 2) return 0;
  int kind = at[0] & 15, more = (at[1] & 127) == 126 ? 2 : (at[1] & 127) == 127 ? 8 : 0;
  if (!(at[0] & 128) || !(at[1] & 128) || kind == 0) return -1;
  if (length < 6 + more) return 0;
  uint64_t size = more ? 0 : at[1] & 127;
  for (int i = 0; i < more; i++) size = size << 8 | at[2 + i];
  if (size > 65536) return -1;
  if (length < 6 + more + (int) size) return 0;
  int head = header(frame, kind == 9 ? 0x8a : at[0], size);
  for (uint64_t i = 0; i < size; i++) frame[head + i] = at[6 + more + i] ^ at[2 + more + (i & 3)];
  if (kind == 8) { send_to(c, frame, head + size); return -1; }
  if (kind == 9) send_to(c, frame, head + size);
  if (kind == 1 || kind == 2) send_to_all(head + size);
  return 6 + more + size;
}

// A connection between two messages has no memory for input.
static void receive(conn *c) {
  if (c->len) memcpy(input, c->in, c->len);
  ssize_t got = recv(c->fd, input + c->len, MOST_IN - c->len, MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) { release(c); return; }
  if (c->isOver) return;
  int length = c->len + got, at = 0, taken;
  do {
    taken = c->isMember ? receive_frame(c, input + at, length - at) : upgrade(c, input + at, length - at);
    if (taken > 0) at += taken;
  } while (taken > 0);
  c->len = length - at;
  if (taken < 0) { c->len = 0; end(c); }
  if (!c->len && !c->in) return;
  c->in = realloc(c->in, c->len + 1);
  memcpy(c->in, input + at, c->len);
}

int main(int argc, char **argv) {
  together = argc > 3 && !strcmp(argv[3], "together");
  if (argc < 2 || argc > 3 + together) { fprintf(stderr, "usage: broadcast_epoll PORT [ADDRESS [together]]\n"); return 2; }
  int l = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
  setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))}; socklen_t length = sizeof a;
  const char *address = argc > 2 ? argv[2] : "127.0.0.1";
  if (inet_pton(AF_INET, address, &a.sin_addr) != 1) { fprintf(stderr, "broadcast_epoll: %s is no IPv4 address\n", address); return 2; }
  struct rlimit files; getrlimit(RLIMIT_NOFILE, &files); files.rlim_cur = files.rlim_max; setrlimit(RLIMIT_NOFILE, &files);
  if (bind(l, (void *) &a, sizeof a) || listen(l, 4096)) { perror("broadcast_epoll: cannot listen"); return 1; }
  getsockname(l, (void *) &a, &length); printf("listening on %s:%d\n", address, ntohs(a.sin_port)); fflush(stdout);
  ep = epoll_create1(0);
  struct epoll_event e = {EPOLLIN, {.ptr = 0}}, ev[512];
  epoll_ctl(ep, EPOLL_CTL_ADD, l, &e);
  for (;;) {
    int n = epoll_wait(ep, ev, 512, -1);
    for (int i = 0; i < n; i++) {
      conn *c = ev[i].data.ptr;
      if (c) {
        if (ev[i].events & EPOLLOUT) flush(c);
        if (ev[i].events & ~EPOLLOUT) receive(c);
        continue;
      }
      int f = accept4(l, 0, 0, SOCK_NONBLOCK);
      if (f < 0) continue;
      setsockopt(f, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      c = calloc(1, sizeof *c); c->fd = f;
      watch(c, EPOLL_CTL_ADD, EPOLLIN);
    }
    if (gatheredBytes) send_gathered();
  }
}
