/* Programs that start threads and processes in unusual ways, or have little room, and call the stand-in driver. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int cuInit(unsigned);
int cuMemAlloc_v2(unsigned long long *, size_t);

static pthread_barrier_t barrier;

static void *call(void *unused)
{
    unsigned long long memory;
    cuInit(0);
    cuMemAlloc_v2(&memory, 8);
    return NULL;
}

static void *call_together(void *unused)
{
    pthread_barrier_wait(&barrier);
    return call(unused);
}

static int end_of(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static int again(char **arguments)
{
    pid_t child = fork();
    if (!child)
        execv("/proc/self/exe", arguments);
    return end_of(child);
}

/* Sixty-four processes, each with four threads whose first calls come together. */
static int first_calls(void)
{
    int failed = 0;
    for (int number = 0; number < 64; number++) {
        pid_t child = fork();
        if (!child) {
            pthread_t threads[4];
            pthread_barrier_init(&barrier, NULL, 4);
            for (int one = 0; one < 4; one++)
                pthread_create(&threads[one], NULL, call_together, NULL);
            for (int one = 0; one < 4; one++)
                pthread_join(threads[one], NULL);
            _exit(0);
        }
        failed += end_of(child);
    }
    return failed;
}

static int with_stack(size_t size)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, size) || pthread_create(&thread, &attributes, call, NULL))
        return 1;
    return pthread_join(thread, NULL);
}

static void handle(int unused) { call(NULL); }

/* A handler calls the driver in the midst of other calls. */
static void calls_of_a_handler(void)
{
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int number = 0; number < 20000; number++)
        call(NULL);
    setitimer(ITIMER_REAL, &never, NULL);
}

int main(int count, char **arguments)
{
    const char *what = arguments[1];
    char *calls[] = {arguments[0], "calls", NULL};
    if (dlerror() != NULL)
        return 9;
    if (!strcmp(what, "first calls"))
        return first_calls();
    if (!strcmp(what, "least stack"))
        return with_stack((size_t)sysconf(_SC_THREAD_STACK_MIN));
    call(NULL);
    if (!strcmp(what, "system call")) {
        pid_t child = (pid_t)syscall(SYS_fork);
        if (!child) {
            call(NULL);
            _exit(4);
        }
        return end_of(child);
    }
    if (!strcmp(what, "little memory")) {
        struct rlimit limit = {32 << 20, 32 << 20};
        setrlimit(RLIMIT_AS, &limit);
        execv("/proc/self/exe", calls);
    }
    if (!strcmp(what, "handler"))
        calls_of_a_handler();
    if (!strcmp(what, "removes")) {
        unlink(arguments[2]);
        return again(calls);
    }
    return 0;
}
