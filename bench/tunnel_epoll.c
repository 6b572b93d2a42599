// tunnel_epoll: the hand-written floor of a layer-4 proxy. One thread, level-triggered epoll, recv from one socket and send to the other.
// usage: tunnel_epoll PORT BACKEND_PORT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
typedef struct end { int fd, off, len; struct end *other; char buf[65536]; } end; // buf: what this end sent and the other did not take yet
static int ep, one = 1;
static end *add(int fd) {
  end *e = calloc(1, sizeof *e); e->fd = fd; setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, 4);
  struct epoll_event v = {EPOLLIN, {.ptr = e}}; epoll_ctl(ep, EPOLL_CTL_ADD, fd, &v); return e;
}
static void want(end *e, unsigned events) { struct epoll_event v = {events, {.ptr = e}}; epoll_ctl(ep, EPOLL_CTL_MOD, e->fd, &v); }
static int flush(end *from) { // 0 when the pair is broken
  ssize_t w = send(from->other->fd, from->buf + from->off, from->len - from->off, MSG_NOSIGNAL);
  if (w < 0) return errno == EAGAIN;
  if ((from->off += w) == from->len) from->off = from->len = 0;
  return 1;
}
static unsigned interest(end *e) { return (e->len ? 0 : EPOLLIN) | (e->other->len ? EPOLLOUT : 0); }
static int serve(end *e, unsigned events) { // 0 when the pair is broken
  int held = e->len, heldOther = e->other->len;
  if ((events & EPOLLOUT) && e->other->len && !flush(e->other)) return 0;
  if ((events & ~EPOLLOUT) && !e->len) {
    ssize_t r = recv(e->fd, e->buf, sizeof e->buf, 0);
    if (r == 0 || (r < 0 && errno != EAGAIN)) return 0;
    if (r > 0) { e->len = r; if (!flush(e)) return 0; }
  }
  if (e->len != held || e->other->len != heldOther) { want(e, interest(e)); want(e->other, interest(e->other)); }
  return 1;
}
int main(int argc, char **argv) {
  if (argc < 3) { fprintf(stderr, "usage: tunnel_epoll PORT BACKEND_PORT\n"); return 2; }
  int l = socket(AF_INET, SOCK_STREAM, 0); setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, 4);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, b = a;
  b.sin_port = htons(atoi(argv[2]));
  if (bind(l, (void *)&a, sizeof a) || listen(l, 4096)) { perror("bind"); return 1; }
  ep = epoll_create1(0); struct epoll_event v = {EPOLLIN, {.ptr = 0}}, ev[512]; epoll_ctl(ep, EPOLL_CTL_ADD, l, &v);
  for (;;) {
    int n = epoll_wait(ep, ev, 512, -1);
    for (int i = 0; i < n; i++) {
      end *e = ev[i].data.ptr;
      if (!e) {
        int f = accept4(l, 0, 0, SOCK_NONBLOCK), u; if (f < 0) continue;
        u = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(u, (void *)&b, sizeof b)) { perror("connect"); close(f); close(u); continue; } // loopback: connects at once
        fcntl(u, F_SETFL, O_NONBLOCK);
        end *c = add(f), *d = add(u); c->other = d; d->other = c;
        continue;
      }
      if (serve(e, ev[i].events)) continue;
      end *o = e->other; close(e->fd); close(o->fd); free(e); free(o);
      for (int k = i + 1; k < n; k++) if (ev[k].data.ptr == e || ev[k].data.ptr == o) ev[k] = ev[--n], k--; // not again in this turn
    }
  }
}
