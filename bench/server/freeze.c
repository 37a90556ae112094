/* A server that answers every request after DELAY_US, and freezes FREEZE_MS in
 * every PERIOD_MS: while frozen it accepts, reads and answers nothing. The first
 * freeze begins half a period after the first connection, so that a run of whole
 * periods holds whole freezes. One thread, epoll; prints its port when it listens.
 *
 * usage: freeze DELAY_US FREEZE_MS PERIOD_MS [STATUS]
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_FDS 65536
#define QUEUE_SIZE (1u << 17) /* answers owed; more than any run here has in flight */
#define EVENTS 512

static char answer[128];
static ssize_t answer_length;

struct owed {
    int64_t due_ns;
    int fd;
    uint32_t generation; /* of the connection, so that a reused fd gets no stale answer */
};

static struct owed queue[QUEUE_SIZE];
static uint32_t queue_head, queue_tail;
static uint32_t generation[MAX_FDS];
static uint8_t end_matched[MAX_FDS]; /* how much of the "\r\n\r\n" has been seen */
static int64_t delay_ns, freeze_ns, period_ns, started_ns;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void die(const char *what) {
    perror(what);
    exit(1);
}

/* Sleeps to the end of the freeze if there is one now. */
static void freeze_if_due(void) {
    if (!started_ns || !freeze_ns)
        return;
    int64_t phase = (now_ns() - started_ns + period_ns / 2) % period_ns;
    if (phase >= freeze_ns || now_ns() - started_ns < period_ns / 2)
        return;
    int64_t end = now_ns() + freeze_ns - phase;
    struct timespec until = {end / 1000000000, end % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

static void hang_up(int fd) {
    generation[fd]++;
    close(fd);
}

static void accept_all(int epoll, int listener) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        if (fd >= MAX_FDS) {
            close(fd);
            continue;
        }
        if (!started_ns)
            started_ns = now_ns();
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        end_matched[fd] = 0;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0)
            die("epoll_ctl");
    }
}

/* Counts the request heads that end in this block; bodies are not expected. */
static void read_requests(int fd) {
    static const char END[] = "\r\n\r\n";
    char block[16384];
    ssize_t got = read(fd, block, sizeof block);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        hang_up(fd);
        return;
    }
    int64_t due = now_ns() + delay_ns;
    for (ssize_t i = 0; i < got; i++) {
        if (block[i] != END[end_matched[fd]])
            end_matched[fd] = block[i] == '\r';
        else if (++end_matched[fd] == 4) {
            end_matched[fd] = 0;
            queue[queue_tail++ % QUEUE_SIZE] = (struct owed){due, fd, generation[fd]};
        }
    }
}

/* The delay is constant, so the queue is in the order of the due times. */
static void answer_due(void) {
    while (queue_head != queue_tail) {
        struct owed *next = &queue[queue_head % QUEUE_SIZE];
        if (next->due_ns > now_ns())
            return;
        queue_head++;
        if (generation[next->fd] != next->generation)
            continue;
        if (send(next->fd, answer, answer_length, MSG_NOSIGNAL) != answer_length)
            hang_up(next->fd);
    }
}

static int listen_on_free_port(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) < 0 ||
        listen(listener, 4096) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) < 0)
        die("listen");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

int main(int argc, char **argv) {
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: freeze DELAY_US FREEZE_MS PERIOD_MS [STATUS]\n");
        return 2;
    }
    delay_ns = atoll(argv[1]) * 1000;
    freeze_ns = atoll(argv[2]) * 1000000;
    period_ns = atoll(argv[3]) * 1000000;
    answer_length = snprintf(answer, sizeof answer,
                             "HTTP/1.1 %d Said\r\nContent-Type: text/plain\r\n"
                             "Content-Length: 5\r\n\r\nhello",
                             argc == 5 ? atoi(argv[4]) : 200);
    prctl(PR_SET_TIMERSLACK, 1); /* the default slack of 50 µs would blur the delay */
    int listener = listen_on_free_port();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0)
        die("epoll");
    struct epoll_event events[EVENTS];
    for (;;) {
        struct timespec wait, *timeout = NULL;
        if (queue_head != queue_tail) {
            int64_t left = queue[queue_head % QUEUE_SIZE].due_ns - now_ns();
            left = left > 0 ? left : 0;
            wait = (struct timespec){left / 1000000000, left % 1000000000};
            timeout = &wait;
        }
        int ready = epoll_pwait2(epoll, events, EVENTS, timeout, NULL);
        if (ready < 0 && errno != EINTR)
            die("epoll_pwait2");
        freeze_if_due();
        for (int i = 0; i < ready; i++) {
            if (events[i].data.fd == listener)
                accept_all(epoll, listener);
            else
                read_requests(events[i].data.fd);
        }
        answer_due();
    }
}
