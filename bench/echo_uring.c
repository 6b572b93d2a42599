// echo_uring: the hand-written floor over io_uring, by system calls alone. One thread, multishot accept and receive into a ring of
// provided buffers; a connection has one send under way, and a buffer goes back to the ring when its send is complete.
// usage: echo_uring PORT [ADDRESS]
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { SUBMISSIONS = 1024, COMPLETIONS = 8192, BUFFERS = 1024, BUFFER_BYTES = 16384, GROUP = 0 };
enum { QUEUE_LIMIT = 32 };                // buffers one connection may hold: a client that does not read must not take them all
enum { SUBMISSIONS_PER_COMPLETION = 4 };  // at most; so much room is needed to look at the next one
enum { ACCEPT, RECEIVE, SEND, CANCEL };   // what completed: the low bits of user_data, the others are the connection
typedef struct conn {
  int fd, first, last, queued, sent;      // a queue of received buffers by their numbers; sent: bytes of the first one
  char receiving, sending, cancelling, starved, ended, broken;
  struct conn *next_starved;
} conn;
static struct { int length, next; } buffers[BUFFERS];
static char *memory;
static struct io_uring_buf_ring *ring_of_buffers;
static int ring, listener, accepting, held; // held: buffers that are not in the ring
static uint16_t buffer_tail;
static unsigned *sq_head, *sq_tail, *cq_head, *cq_tail, sq_mask, cq_mask, sq_entries;
static struct io_uring_sqe *sqes;
static struct io_uring_cqe *cqes;
static conn *starved;

static void refuse(const char *what) { fprintf(stderr, "echo_uring: %s: %s\n", what, strerror(errno)); exit(1); }
static void *map(size_t bytes, int flags, int fd, off_t at) {
  void *p = mmap(0, bytes, PROT_READ | PROT_WRITE, flags, fd, at);
  if (p == MAP_FAILED) refuse("cannot map memory");
  return p;
}
static unsigned room(void) { return sq_entries - (*sq_tail - __atomic_load_n(sq_head, __ATOMIC_ACQUIRE)); }
static struct io_uring_sqe *submission(int op, int fd, conn *c, int what) {
  struct io_uring_sqe *s = &sqes[*sq_tail & sq_mask];
  memset(s, 0, sizeof *s);
  s->opcode = op; s->fd = fd; s->user_data = (uintptr_t)c | what;
  __atomic_store_n(sq_tail, *sq_tail + 1, __ATOMIC_RELEASE);
  return s;
}
static void give_back(int b) {
  struct io_uring_buf *entry = &ring_of_buffers->bufs[buffer_tail & (BUFFERS - 1)];
  entry->addr = (uintptr_t)memory + (size_t)b * BUFFER_BYTES; entry->len = BUFFER_BYTES; entry->bid = b;
  __atomic_store_n(&ring_of_buffers->tail, ++buffer_tail, __ATOMIC_RELEASE);
  held--;
}
static void accept_many(void) { submission(IORING_OP_ACCEPT, listener, 0, ACCEPT)->ioprio = IORING_ACCEPT_MULTISHOT; accepting = 1; }
static void receive(conn *c) {
  struct io_uring_sqe *s = submission(IORING_OP_RECV, c->fd, c, RECEIVE);
  s->ioprio = IORING_RECV_MULTISHOT; s->flags = IOSQE_BUFFER_SELECT; s->buf_group = GROUP;
  c->receiving = 1;
}
static void send_first(conn *c) {
  struct io_uring_sqe *s = submission(IORING_OP_SEND, c->fd, c, SEND);
  s->addr = (uintptr_t)memory + (size_t)c->first * BUFFER_BYTES + c->sent; s->len = buffers[c->first].length - c->sent;
  s->msg_flags = MSG_NOSIGNAL;
  c->sending = 1;
}
static void cancel(conn *c) {
  submission(IORING_OP_ASYNC_CANCEL, -1, c, CANCEL)->addr = (uintptr_t)c | RECEIVE;
  c->cancelling = 1;
}
static void drop_first(conn *c) { int b = c->first; c->first = buffers[b].next; c->queued--; c->sent = 0; give_back(b); }
static void fail(conn *c) { c->ended = c->broken = 1; shutdown(c->fd, SHUT_RDWR); } // what is under way ends by that
static void go_on(conn *c) { // starts what the connection's state asks for; frees it when nothing is left to do
  while (c->broken && !c->sending && c->queued) drop_first(c);
  if (c->queued && !c->sending) send_first(c);
  if (c->receiving && !c->cancelling && !c->ended && c->queued >= QUEUE_LIMIT) cancel(c);
  if (!c->receiving && !c->cancelling && !c->starved && !c->ended && c->queued < QUEUE_LIMIT / 2) receive(c);
  if (!c->ended || c->queued || c->receiving || c->sending || c->cancelling || c->starved) return;
  close(c->fd); free(c);
  if (!accepting) accept_many(); // there may be a descriptor again
}
static void accepted(int fd, unsigned flags) {
  if (!(flags & IORING_CQE_F_MORE)) accepting = 0;
  if (!accepting && fd != -EMFILE && fd != -ENFILE) accept_many();
  if (fd < 0) return;
  int one = 1; setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  conn *c = calloc(1, sizeof *c); c->fd = fd; receive(c);
}
static void received(conn *c, int res, unsigned flags) {
  if (!(flags & IORING_CQE_F_MORE)) c->receiving = 0;
  if (flags & IORING_CQE_F_BUFFER) {
    int b = flags >> IORING_CQE_BUFFER_SHIFT;
    held++;
    if (res > 0 && !c->broken) {
      buffers[b].length = res;
      if (c->queued++) buffers[c->last].next = b; else c->first = b;
      c->last = b;
    } else give_back(b);
  }
  if (res == 0) c->ended = 1;
  else if (res == -ENOBUFS) { if (!c->starved) { c->starved = 1; c->next_starved = starved; starved = c; } }
  else if (res < 0 && res != -ECANCELED && res != -EINTR) fail(c);
  go_on(c);
}
static void sent(conn *c, int res) {
  c->sending = 0;
  if (res < 0 && res != -EAGAIN && res != -EINTR) fail(c);
  if (res > 0 && (c->sent += res) == buffers[c->first].length) drop_first(c);
  go_on(c);
}
static void completed(struct io_uring_cqe *e) {
  conn *c = (conn *)(uintptr_t)(e->user_data & ~7ull);
  switch (e->user_data & 7) {
    case ACCEPT: accepted(e->res, e->flags); break;
    case RECEIVE: received(c, e->res, e->flags); break;
    case SEND: sent(c, e->res); break;
    case CANCEL: c->cancelling = 0; go_on(c); break;
  }
}
static void feed_starved(void) { // no more of them than there are buffers, or the others would only starve again
  for (int n = BUFFERS - held; n > 0 && starved && room() >= SUBMISSIONS_PER_COMPLETION; n--) {
    conn *c = starved; starved = c->next_starved; c->starved = 0; go_on(c);
  }
}
static void set_up(void) {
  struct io_uring_params p; // multishot receive came with SINGLE_ISSUER, so an older kernel could not serve at all
  unsigned task_run[] = {IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN};
  for (int i = 0; i < 2; i++) {
    memset(&p, 0, sizeof p); p.flags = IORING_SETUP_SINGLE_ISSUER | task_run[i] | IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL; p.cq_entries = COMPLETIONS;
    ring = syscall(SYS_io_uring_setup, SUBMISSIONS, &p);
    if (ring >= 0 || errno != EINVAL) break;
  }
  if (ring < 0 && errno == EINVAL) { fprintf(stderr, "echo_uring: io_uring of this kernel is too old, Linux 6.0 is needed\n"); exit(1); }
  if (ring < 0) refuse(errno == ENOSYS ? "this kernel has no io_uring" : errno == EPERM ? "this machine forbids io_uring" : "cannot set up io_uring");
  size_t sq_bytes = p.sq_off.array + p.sq_entries * sizeof(unsigned), cq_bytes = p.cq_off.cqes + p.cq_entries * sizeof *cqes;
  char *rings = map(sq_bytes > cq_bytes ? sq_bytes : cq_bytes, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING); // one map for both since 5.4
  sqes = map(p.sq_entries * sizeof *sqes, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
  sq_head = (void *)(rings + p.sq_off.head); sq_tail = (void *)(rings + p.sq_off.tail); sq_entries = p.sq_entries; sq_mask = sq_entries - 1;
  cq_head = (void *)(rings + p.cq_off.head); cq_tail = (void *)(rings + p.cq_off.tail); cq_mask = p.cq_entries - 1; cqes = (void *)(rings + p.cq_off.cqes);
  for (unsigned i = 0; i < sq_entries; i++) ((unsigned *)(rings + p.sq_off.array))[i] = i;
  memory = map((size_t)BUFFERS * BUFFER_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ring_of_buffers = map(BUFFERS * sizeof(struct io_uring_buf), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct io_uring_buf_reg reg = {.ring_addr = (uintptr_t)ring_of_buffers, .ring_entries = BUFFERS, .bgid = GROUP};
  if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_PBUF_RING, &reg, 1)) refuse("cannot register a ring of buffers");
  held = BUFFERS;
  for (int b = 0; b < BUFFERS; b++) give_back(b);
}
int main(int argc, char **argv) {
  if (argc < 2) { fprintf(stderr, "usage: echo_uring PORT [ADDRESS]\n"); return 2; }
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))}; socklen_t length = sizeof a; int one = 1;
  const char *address = argc > 2 ? argv[2] : "127.0.0.1";
  if (inet_pton(AF_INET, address, &a.sin_addr) != 1) { fprintf(stderr, "echo_uring: %s is no IPv4 address\n", address); return 2; }
  struct rlimit files; getrlimit(RLIMIT_NOFILE, &files); files.rlim_cur = files.rlim_max; setrlimit(RLIMIT_NOFILE, &files);
  set_up();
  listener = socket(AF_INET, SOCK_STREAM, 0); setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (void *)&a, sizeof a) || listen(listener, 4096)) refuse("cannot listen");
  getsockname(listener, (void *)&a, &length); printf("listening on %s:%d\n", address, ntohs(a.sin_port)); fflush(stdout);
  accept_many();
  for (;;) {
    unsigned head = *cq_head, to_submit = sq_entries - room(), all_seen = head == __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE);
    unsigned wait_for = all_seen && !(starved && held < BUFFERS);
    if (syscall(SYS_io_uring_enter, ring, to_submit, wait_for, IORING_ENTER_GETEVENTS, 0, 0) < 0
        && errno != EINTR && errno != EAGAIN && errno != EBUSY) refuse("cannot enter the ring");
    for (; head != __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE) && room() >= SUBMISSIONS_PER_COMPLETION; head++) {
      struct io_uring_cqe e = cqes[head & cq_mask];
      __atomic_store_n(cq_head, head + 1, __ATOMIC_RELEASE);
      completed(&e);
    }
    feed_starved();
  }
}
