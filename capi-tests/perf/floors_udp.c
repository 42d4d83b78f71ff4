/* Bare UDP between two processes on loopback: the floors for the udp conduit's figures.

   Sockets are unconnected, as those of a job of many ranks are, and both sides spin on calls that do not block. A
   window that fits the receiver's socket, with a small datagram of credit for each quarter of it, keeps anything
   from being lost; so nothing is ever sent again, and nothing is checked. */
#define _GNU_SOURCE 1
#include "floors.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

#define BURST 64            /* small datagrams a call */
#define LARGEST 65507       /* bytes of a UDP datagram, and of a call with segmentation offload */
#define MOST_SEGMENTS 64    /* a call */
#define SOCKET_BYTES (8 << 20)
#define SMALL_TAKES 1024    /* of a socket's room, at most, for a small datagram */
#define WINDOW (2 << 20) /* of a stream */
#define HEADER sizeof(uint64_t) /* of a datagram of a stream: where its bytes go */

size_t udp_segment, udp_window;
static int sockets[2];
static struct sockaddr_in addresses[2];
static size_t holds; /* capacity of a socket in bytes, as the kernel counts */
static char *inbox;

static void lost(void) {
  fprintf(stderr, "floors: nothing arrives: %s\n", strerror(errno));
  _exit(1);
}

int udp_prepare(void) {
  int bytes = SOCKET_BYTES, on = 1;
  socklen_t length = sizeof bytes;
  for (int i = 0; i < 2; i++) {
    struct sockaddr_in *at = &addresses[i];
    socklen_t address_length = sizeof *at;
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    sockets[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (sockets[i] < 0 || bind(sockets[i], (struct sockaddr *)at, sizeof *at) != 0) return 1;
    if (getsockname(sockets[i], (struct sockaddr *)at, &address_length) != 0) return 1;
    bytes = SOCKET_BYTES / 2; /* the kernel doubles it */
    if (setsockopt(sockets[i], SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0 &&
        setsockopt(sockets[i], SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) != 0) return 1;
    if (setsockopt(sockets[i], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes) != 0 &&
        setsockopt(sockets[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes) != 0) return 1;
    if (getsockopt(sockets[i], SOL_SOCKET, SO_RCVBUF, &bytes, &length) != 0) return 1;
    if (udp_segment && setsockopt(sockets[i], SOL_UDP, UDP_GRO, &on, sizeof on) != 0) return 1;
  }
  holds = (size_t)bytes;
  inbox = malloc(LARGEST + 1);
  if (inbox) memset(inbox, 1, LARGEST + 1);
  return !inbox;
}

static void send_to(int rank, const void *bytes, size_t nbytes) {
  const struct sockaddr *at = (const struct sockaddr *)&addresses[rank];
  while (sendto(sockets[!rank], bytes, nbytes, 0, at, sizeof addresses[rank]) < 0)
    if (errno != EAGAIN && errno != ENOBUFS) lost();
}

/* Spins until a datagram is there. */
static void receive(int rank, void *bytes, size_t nbytes) {
  for (uint64_t tries = 0; recv(sockets[rank], bytes, nbytes, MSG_DONTWAIT) < 0; tries++)
    if (tries > 1 << 24) lost();
}

/* --- small datagrams --- */

static void ping_pong(int rank, uint64_t from, uint64_t n) {
  (void)from;
  for (uint64_t i = 0; i < n; i++) {
    if (rank == 0) send_to(1, private_bytes, size);
    receive(rank, private_bytes, size);
    if (rank == 1) send_to(0, private_bytes, size);
  }
}

/* The same with connected sockets. */
static void ping_pong_connected(int rank, uint64_t from, uint64_t n) {
  if (from == 0 && connect(sockets[rank], (struct sockaddr *)&addresses[!rank], sizeof addresses[0]) != 0) lost();
  for (uint64_t i = 0; i < n; i++) {
    if (rank == 0 && send(sockets[0], private_bytes, size, 0) < 0) lost();
    receive(rank, private_bytes, size);
    if (rank == 1 && send(sockets[1], private_bytes, size, 0) < 0) lost();
  }
}

/* Messages of a mmsg call, all from or to the same place and bytes. */
static void fill(struct mmsghdr *messages, struct iovec *bytes, int to) {
  *bytes = (struct iovec){private_bytes, size};
  memset(messages, 0, BURST * sizeof *messages);
  for (int i = 0; i < BURST; i++) {
    messages[i].msg_hdr.msg_iov = bytes;
    messages[i].msg_hdr.msg_iovlen = 1;
    if (to < 0) continue;
    messages[i].msg_hdr.msg_name = &addresses[to];
    messages[i].msg_hdr.msg_namelen = sizeof addresses[to];
  }
}

static void flood(int rank, uint64_t from, uint64_t n) {
  struct mmsghdr messages[BURST];
  struct iovec bytes;
  uint64_t window = udp_window ? udp_window : 1024, here = 0, there = 0;
  (void)from;
  if (window > holds / SMALL_TAKES) window = holds / SMALL_TAKES;
  fill(messages, &bytes, rank == 0 ? 1 : -1);
  if (rank == 0) {
    while (there < n) {
      uint64_t room = there + window - here, left = n - here;
      int sent;
      if (left == 0 || room == 0) {
        receive(0, &there, sizeof there);
        continue;
      }
      if (left > room) left = room;
      sent = sendmmsg(sockets[0], messages, left < BURST ? (unsigned)left : BURST, 0);
      if (sent > 0) here += (uint64_t)sent;
    }
  } else {
    uint64_t told = 0;
    for (uint64_t tries = 0; here < n; tries++) {
      int got = recvmmsg(sockets[1], messages, BURST, MSG_DONTWAIT, NULL);
      if (tries > 1 << 24) lost();
      if (got <= 0) continue;
      tries = 0;
      here += (uint64_t)got;
      if (here < n && here - told < window / 4) continue;
      told = here;
      send_to(0, &told, sizeof told);
    }
  }
}

/* --- streams --- */

/* Sends bytes `at..at + nbytes` of a message in one call: one datagram, or as many as segmentation offload makes. */
static void send_piece(int to, uint64_t at, size_t nbytes, size_t data) {
  uint64_t headers[MOST_SEGMENTS];
  struct iovec pieces[2 * MOST_SEGMENTS];
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(uint16_t))] = {0};
  struct msghdr message = {.msg_name = &addresses[to], .msg_namelen = sizeof addresses[to], .msg_iov = pieces};
  size_t count = 0;
  for (size_t done = 0; done < nbytes; done += data, count++) {
    headers[count] = at + done;
    pieces[2 * count] = (struct iovec){&headers[count], HEADER};
    pieces[2 * count + 1] = (struct iovec){private_bytes + at + done, nbytes - done < data ? nbytes - done : data};
  }
  message.msg_iovlen = 2 * count;
  if (count > 1) {
    struct cmsghdr *head;
    uint16_t segment = (uint16_t)(data + HEADER);
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_level = SOL_UDP, .cmsg_type = UDP_SEGMENT, .cmsg_len = CMSG_LEN(sizeof segment)};
    memcpy(CMSG_DATA(head), &segment, sizeof segment);
  }
  while (sendmsg(sockets[!to], &message, 0) < 0)
    if (errno != EAGAIN && errno != ENOBUFS) lost();
}

/* Receives a datagram, or several that receive offload has merged, and copies the bytes to their destinations. */
static size_t take_piece(int rank) {
  struct iovec bytes = {inbox, LARGEST + 1};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t got = -1;
  size_t segment, data = 0;
  for (uint64_t tries = 0; got < 0; tries++) {
    got = udp_segment ? recvmsg(sockets[rank], &message, MSG_DONTWAIT)
                      : recv(sockets[rank], inbox, LARGEST + 1, MSG_DONTWAIT);
    if (tries > 1 << 24) lost();
  }
  segment = (size_t)got;
  for (struct cmsghdr *head = udp_segment ? CMSG_FIRSTHDR(&message) : NULL; head; head = CMSG_NXTHDR(&message, head))
    if (head->cmsg_level == SOL_UDP && head->cmsg_type == UDP_GRO) {
      int together;
      memcpy(&together, CMSG_DATA(head), sizeof together);
      segment = (size_t)together;
    }
  for (size_t at = 0; at < (size_t)got; at += segment) {
    size_t nbytes = (size_t)got - at < segment ? (size_t)got - at : segment;
    uint64_t place;
    memcpy(&place, inbox + at, HEADER);
    if (place + nbytes - HEADER > size) lost();
    memcpy(private_bytes + size + place, inbox + at + HEADER, nbytes - HEADER);
    data += nbytes - HEADER;
  }
  return data;
}

/* Messages `from..from + n` from one process to the other; rank 0 returns when the last byte is in place. `each`:
   one message at a time. A credit is the offset up to which the sender may send; a getter also sends the first credit. */
static void stream(int rank, int sender, uint64_t from, uint64_t n, int each) {
  size_t data = (udp_segment ? udp_segment : LARGEST) - HEADER, segments = udp_segment ? LARGEST / udp_segment : 1;
  size_t call = data * (segments < MOST_SEGMENTS ? segments : MOST_SEGMENTS), window = udp_window ? udp_window : WINDOW;
  size_t piece = size < call ? size : call;
  uint64_t done = from * size, end = done + n * size, credit = done, told;
  if (window > holds / 4) window = holds / 4;
  window = window / (piece + SMALL_TAKES) * piece; /* small datagrams fill a socket with more than their bytes */
  if (window < 2 * piece) window = 2 * piece;
  if (each) window = size;
  if (sender == 0) credit += window;
  if (rank == sender) {
    while (done < end) {
      size_t at = done % size, nbytes = size - at < call ? size - at : call;
      while (credit < done + nbytes && credit < end) {
        receive(rank, &told, sizeof told);
        if (told > credit) credit = told;
      }
      send_piece(!sender, at, nbytes, data);
      done += nbytes;
    }
    /* A put is complete when the other side has acknowledged it. */
    while (sender == 0 && credit < end + window) receive(rank, &credit, sizeof credit);
  } else {
    uint64_t step = each ? size : window / 4;
    if (sender == 1) credit += window, send_to(sender, &credit, sizeof credit);
    while (done < end) {
      done += take_piece(rank);
      if (done + window < credit + step && done < end) continue;
      credit = done + window;
      if (sender == 0 || done < end) send_to(sender, &credit, sizeof credit);
    }
  }
}
static void put_stream(int rank, uint64_t from, uint64_t n) { stream(rank, 0, from, n, 0); }
static void get_stream(int rank, uint64_t from, uint64_t n) { stream(rank, 1, from, n, 0); }
static void put_each(int rank, uint64_t from, uint64_t n) { stream(rank, 0, from, n, 1); }
static void get_each(int rank, uint64_t from, uint64_t n) { stream(rank, 1, from, n, 1); }

const struct floor udp_floors[] = {
  {"udp-pingpong", ping_pong, BYTES}, {"udp-pingpong-connected", ping_pong_connected, BYTES},
  {"udp-flood", flood, BYTES}, {"udp-put", put_stream, BYTES}, {"udp-get", get_stream, BYTES},
  {"udp-put-each", put_each, BYTES}, {"udp-get-each", get_each, BYTES},
  {NULL, NULL, PAIR},
};
