/* Calls of the system that fail when they are to: a library to load first (LD_PRELOAD), for programs in Python and in C.

   It counts calls by their names and by the threads that make them, which are numbered in the order in which they are
   started. A call fails by its name, its thread, and how many of that name the thread has made before. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES(X)                                                                                                       \
    X(accept4) X(bind) X(chmod) X(connect) X(descriptors) X(dup) X(epoll_create1) X(epoll_ctl) X(epoll_wait) X(flock)   \
    X(fork) X(fstat) X(ftruncate) X(getpeername) X(getsockopt) X(listen) X(memfd_create) X(mkdir) X(mmap) X(open)       \
    X(opendir) X(pipe2) X(poll) X(pthread_create) X(read) X(readlink) X(recvmsg) X(rename) X(rmdir) X(send)             \
    X(sendmsg) X(setsockopt) X(shutdown) X(socket) X(symlink) X(unlink) X(write)

enum {
#define X(name) AT_##name,
    NAMES(X)
#undef X
        CALLS
};

static const char *names[] = {
#define X(name) #name,
    NAMES(X)
#undef X
};

#define MOST_THREADS 64

static struct {
    int armed, threads, call, thread, error;
    long first, times, hits, counts[CALLS][MOST_THREADS];
} state = {.call = -1};

static __thread int number = -1, is_aside;

/* Count from now on, in the current thread as the first one, and have calls fail; with no name none does. */
void moments_arm(const char *call, int thread, long first, int error, long times)
{
    memset(&state, 0, sizeof state);
    state.call = -1;
    for (int at = 0; call != NULL && at < CALLS; at++)
        if (!strcmp(names[at], call))
            state.call = at;
    state.thread = thread;
    state.first = first;
    state.error = error;
    state.times = times;
    number = 0;
    state.threads = 1;
    __atomic_store_n(&state.armed, 1, __ATOMIC_SEQ_CST);
}

/* Count no more, and fail no more. */
void moments_rest(void) { __atomic_store_n(&state.armed, 0, __ATOMIC_SEQ_CST); }

/* Return how many calls have failed. */
long moments_hits(void) { return state.hits; }

/* Have the current thread's calls not count, or count again. */
void moments_aside(int aside) { is_aside = aside; }

/* Write what was counted: a line for each name and thread. */
void moments_report(char *text, size_t size)
{
    *text = 0;
    for (int call = 0; call < CALLS; call++)
        for (int thread = 0; thread < MOST_THREADS; thread++)
            if (state.counts[call][thread])
                snprintf(text + strlen(text), size - strlen(text), "%s %d %ld\n", names[call], thread, state.counts[call][thread]);
}

static int fails(int call)
{
    if (!__atomic_load_n(&state.armed, __ATOMIC_SEQ_CST) || is_aside)
        return 0;
    if (number < 0 || number >= MOST_THREADS)
        number = __atomic_fetch_add(&state.threads, 1, __ATOMIC_SEQ_CST) % MOST_THREADS;
    long count = __atomic_add_fetch(&state.counts[call][number], 1, __ATOMIC_SEQ_CST);
    if (call != state.call || number != state.thread || count < state.first || count >= state.first + state.times)
        return 0;
    __atomic_add_fetch(&state.hits, 1, __ATOMIC_SEQ_CST);
    errno = state.error;
    return 1;
}

#define REAL(name) static __typeof__(name) *real; if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAILING(result, name, at, parameters, ...)                                                                     \
    result name parameters                                                                                             \
    {                                                                                                                  \
        REAL(name);                                                                                                    \
        return fails(AT_##at) ? (result)-1 : real(__VA_ARGS__);                                                        \
    }

FAILING(int, accept4, accept4, (int a, struct sockaddr *b, socklen_t *c, int d), a, b, c, d)
FAILING(int, bind, bind, (int a, const struct sockaddr *b, socklen_t c), a, b, c)
FAILING(int, chmod, chmod, (const char *a, mode_t b), a, b)
FAILING(int, connect, connect, (int a, const struct sockaddr *b, socklen_t c), a, b, c)
FAILING(int, dup, dup, (int a), a)
FAILING(int, epoll_create1, epoll_create1, (int a), a)
FAILING(int, epoll_ctl, epoll_ctl, (int a, int b, int c, struct epoll_event *d), a, b, c, d)
FAILING(int, epoll_wait, epoll_wait, (int a, struct epoll_event *b, int c, int d), a, b, c, d)
FAILING(int, flock, flock, (int a, int b), a, b)
FAILING(pid_t, fork, fork, (void), )
FAILING(int, fstat, fstat, (int a, struct stat *b), a, b)
FAILING(int, fstat64, fstat, (int a, struct stat64 *b), a, b)
FAILING(int, ftruncate, ftruncate, (int a, off_t b), a, b)
FAILING(int, ftruncate64, ftruncate, (int a, off64_t b), a, b)
FAILING(int, getpeername, getpeername, (int a, struct sockaddr *b, socklen_t *c), a, b, c)
FAILING(int, getsockopt, getsockopt, (int a, int b, int c, void *d, socklen_t *e), a, b, c, d, e)
FAILING(int, listen, listen, (int a, int b), a, b)
FAILING(int, memfd_create, memfd_create, (const char *a, unsigned b), a, b)
FAILING(int, mkdir, mkdir, (const char *a, mode_t b), a, b)
FAILING(int, pipe2, pipe2, (int *a, int b), a, b)
FAILING(int, poll, poll, (struct pollfd *a, nfds_t b, int c), a, b, c)
FAILING(ssize_t, read, read, (int a, void *b, size_t c), a, b, c)
FAILING(ssize_t, readlink, readlink, (const char *a, char *b, size_t c), a, b, c)
FAILING(int, rename, rename, (const char *a, const char *b), a, b)
FAILING(int, rmdir, rmdir, (const char *a), a)
FAILING(ssize_t, send, send, (int a, const void *b, size_t c, int d), a, b, c, d)
FAILING(ssize_t, sendmsg, sendmsg, (int a, const struct msghdr *b, int c), a, b, c)
FAILING(int, setsockopt, setsockopt, (int a, int b, int c, const void *d, socklen_t e), a, b, c, d, e)
FAILING(int, shutdown, shutdown, (int a, int b), a, b)
FAILING(int, socket, socket, (int a, int b, int c), a, b, c)
FAILING(int, symlink, symlink, (const char *a, const char *b), a, b)
FAILING(int, unlink, unlink, (const char *a), a)
FAILING(ssize_t, write, write, (int a, const void *b, size_t c), a, b, c)

DIR *opendir(const char *name)
{
    REAL(opendir);
    return fails(AT_opendir) ? NULL : real(name);
}

/* What allocates memory for Python's objects or for the C library is not meant: files, and ranges that take no memory. */
static int is_meant(int flags, int descriptor) { return descriptor >= 0 || flags & MAP_NORESERVE; }

void *mmap(void *at, size_t size, int protection, int flags, int descriptor, off_t offset)
{
    REAL(mmap);
    return is_meant(flags, descriptor) && fails(AT_mmap) ? MAP_FAILED : real(at, size, protection, flags, descriptor, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int descriptor, off64_t offset)
{
    REAL(mmap64);
    return is_meant(flags, descriptor) && fails(AT_mmap) ? MAP_FAILED : real(at, size, protection, flags, descriptor, offset);
}

#define OPENING(name, ...)                                                                                             \
    {                                                                                                                  \
        REAL(name);                                                                                                    \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        mode_t mode = va_arg(more, mode_t);                                                                            \
        va_end(more);                                                                                                  \
        return fails(AT_open) ? -1 : real(__VA_ARGS__, flags, mode);                                                   \
    }

int open(const char *path, int flags, ...) OPENING(open, path)
int open64(const char *path, int flags, ...) OPENING(open64, path)
int openat(int folder, const char *path, int flags, ...) OPENING(openat, folder, path)
int openat64(int folder, const char *path, int flags, ...) OPENING(openat64, folder, path)

/* Of a message with descriptors none arrives, as where this process has none free. */
ssize_t recvmsg(int line, struct msghdr *message, int flags)
{
    REAL(recvmsg);
    if (fails(AT_recvmsg))
        return -1;
    ssize_t came = real(line, message, flags);
    for (struct cmsghdr *head = CMSG_FIRSTHDR(message); came >= 0 && head != NULL; head = CMSG_NXTHDR(message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS || !fails(AT_descriptors))
            continue;
        int held[64], count = (int)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(held, CMSG_DATA(head), (size_t)count * sizeof(int));
        for (int at = 0; at < count; at++)
            close(held[at]);
        message->msg_controllen = 0;
        message->msg_flags |= MSG_CTRUNC;
        break;
    }
    return came;
}

struct start {
    void *(*function)(void *);
    void *argument;
    int number;
};

static void *begin(void *one)
{
    struct start start = *(struct start *)one;
    free(one);
    number = start.number;
    return start.function(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    REAL(pthread_create);
    if (fails(AT_pthread_create))
        return errno;
    struct start *start = malloc(sizeof *start);
    *start = (struct start){function, argument, -1};
    if (__atomic_load_n(&state.armed, __ATOMIC_SEQ_CST))
        start->number = __atomic_fetch_add(&state.threads, 1, __ATOMIC_SEQ_CST);
    return real(thread, attributes, begin, start);
}

static void in_child(void)
{
    state.armed = 0;
    number = -1;
}

/* A program in C is armed by its environment: the name, the thread, which call, the error and how many, between blanks. */
__attribute__((constructor)) static void start(void)
{
    char call[64];
    int thread, error;
    long first, times;
    const char *told = getenv("MOMENTS");
    pthread_atfork(NULL, NULL, in_child);
    if (told != NULL && sscanf(told, "%63s %d %ld %d %ld", call, &thread, &first, &error, &times) == 5)
        moments_arm(call, thread, first, error, times);
}

__attribute__((destructor)) static void stop(void)
{
    static char text[1 << 16];
    const char *path = getenv("MOMENTS_REPORT");
    moments_rest();
    if (path == NULL)
        return;
    FILE *file = fopen(path, "w");
    moments_report(text, sizeof text);
    fprintf(file, "%ld\n%s", state.hits, text);
    fclose(file);
}
