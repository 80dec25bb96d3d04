/* The client of a shared machine in C, for processes without Python.

   Its functions fill the slots of the stubs of libcuda.so.1 and libcudart.so until Python fills them. Like an attached Python
   process, each function sends its call to the owner of the machine and meanwhile does the owner's requests. The protocol is
   described in fakecuda.reach.remote. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include <unwind.h>

#include "versions.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Print why calls do not reach the machine, unless it was the last text printed. */
static void complain(const char *what)
{
    static char said[1024];
    if (strncmp(said, what, sizeof said - 1))
        fprintf(stderr, "fakecuda: %s\n", what);
    snprintf(said, sizeof said, "%s", what);
}

/* Print it with the system error that caused it. */
static void complain_of(const char *what, int error)
{
    char text[1024];
    snprintf(text, sizeof text, "%s (%s)", what, strerror(error));
    complain(text);
}

/* Read a decimal number, and move the text behind it. */
static uint64_t read_number(const char **text)
{
    uint64_t found = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        found = found * 10 + (uint64_t)(**text - '0');
    return found;
}

#include "constants.h"
#include "room.c"
#include "values.c"
#include "line.c"
#include "memory.c"
#include "calls.c"
#include "sites.c"

enum { NATIVE = 1, PER_THREAD_STREAM = 2 };
enum { READY_NOW = 1, FOREIGN_PROC = 4 };
enum { VISIBLE_DEVICES = 1, TEAR_DOWN, LAST_ERROR, FOUND = 6, REPORT = 9, PROGRAM = 11, MODULE_LOADING };
enum { INVALID_VALUE = 1, OUT_OF_MEMORY, NOT_INITIALIZED = 3, DEINITIALIZED = 4, NO_DEVICE = 100, NOT_FOUND = 500, NOT_SUPPORTED = 801, UNKNOWN = 999 };
enum { UNINITIALIZED = 1, NVML_NOT_SUPPORTED = 3, DRIVER_NOT_LOADED = 9, NVML_MEMORY = 20 };
#define LEAVING 60 /* seconds that are given to the owner to tear the driver down, as in Python */
#define TAGGED(code) ((uint64_t)TAG << 32 | (uint32_t)(code))

/* This process. */
static struct {
    pthread_mutex_t lock, sending;
    pthread_key_t ending;
    int attached, lost, left, line, forking, generation;
    uint64_t known, machine;
    int has_machine, driver_version;
    uint8_t token[64];
    size_t token_size;
    char path[4096];
} here = {.lock = PTHREAD_MUTEX_INITIALIZER, .sending = PTHREAD_MUTEX_INITIALIZER, .line = -1};

/* A thread of this process. */
struct thread {
    int line, generation, busy;
    uint64_t number;
    int last_error;
    struct stack *stacks; /* of its calls, by number */
};

static __thread struct thread thread = {.line = -1};
static __thread int in_function;

static void thread_ends(void *one)
{
    struct thread *ended = one;
    if (ended->generation == here.generation && ended->line >= 0)
        close(ended->line);
    ended->line = -1;
    free(ended->stacks);
    ended->stacks = NULL;
}

#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)
#define UNANSWERED \
    "the process that made the machine has not answered within " TEXT_OF(GREETED) " s: it is stopped, or cannot start a thread"
#define SHORT "this process cannot connect to its machine now: close file descriptors and free memory, or raise its limits (ulimit)"
#define NO_THREAD "this process cannot start a thread for its machine: end some threads of this process, or raise its limit (ulimit -u)"

#define OWN_MACHINE \
    "this process has made the machine, and its C code reaches only a machine that is installed: use the fixture fakecuda or " \
    "fakecuda.simulate() instead of Machine(), or call the driver in another program"

#define NO_ROOM "this process has no memory left for a call: free some, or raise its limit (ulimit -v)"
#define NO_ANSWER "this process has no memory left for a request of its machine, and is detached from it: raise the limit (ulimit -v)"

static int lose(const char *why)
{
    if (!here.left && !here.lost)
        complain(why);
    here.lost = 1;
    return 0;
}

/* Open a connection and send the greeting; return the connection, with its welcome in the frame, or -1. */
static int greet(const char *role, uint64_t key, uint64_t flag, struct frame *welcome)
{
    struct bytes body = {0};
    int line = connect_to(here.path);
    if (line < 0 && is_scarce(failed_by)) {
        complain_of(SHORT, failed_by);
        return -1;
    }
    if (line < 0 && failed_by == EAGAIN) {
        complain(UNANSWERED);
        return -1;
    }
    if (line < 0) {
        lose("no machine answers at the socket in FAKECUDA_MACHINE: the process that made it has ended or was killed");
        return -1;
    }
    if (is_own(line)) { /* else this thread might hold what the owner needs to answer, as Python's lock */
        close(line);
        lose(OWN_MACHINE);
        return -1;
    }
    put_array(&body, 6);
    put_bytes(&body, DIGEST, sizeof DIGEST - 1);
    put_text(&body, role);
    put_bytes(&body, here.token, here.token_size);
    put_unsigned(&body, key);
    if (here.has_machine)
        put_unsigned(&body, here.machine);
    else
        put_nothing(&body);
    put_unsigned(&body, flag);
    int came = send_frame(line, HELLO, &body, -1) || failed_by == EPIPE || failed_by == ECONNRESET;
    came = came && receive_frame(line, welcome); /* an owner that refuses at once may close without reading the greeting */
    free(body.at);
    if (came && welcome->kind == WELCOME && !welcome->lost) {
        limit(line, 0);
        return line;
    }
    if (came && welcome->kind == WELCOME) {
        complain_of("this process has no free file descriptors for the files of its machine: raise its limit (ulimit -n)", EMFILE);
        drop(welcome);
    } else if (came) {
        struct item why = next(&welcome->cursor);
        char text[1024];
        snprintf(text, sizeof text, "this process cannot use the machine: %.*s", (int)why.size, (const char *)why.bytes);
        lose(text);
        drop(welcome);
    } else if (failed_by == EAGAIN) {
        complain(UNANSWERED);
    } else if (is_scarce(failed_by)) {
        complain_of(SHORT, failed_by);
    } else {
        lose("the machine has ended, or its process has another release of fakecuda: use one release for both processes");
    }
    close(line);
    return -1;
}

/* Functions of the program that the owner has called; jobs with the same number share a thread. */
struct job {
    struct job *next;
    uint64_t number, address, arguments[4];
};

struct runner {
    struct runner *next;
    uint64_t who;
    struct job *first, **last;
    pthread_mutex_t lock;
    pthread_cond_t more;
};

static void answer(uint64_t number, const struct bytes *value)
{
    struct bytes body = {0};
    put_array(&body, 2);
    put_unsigned(&body, number);
    append_all(&body, value);
    if (body.lost)
        lose(NO_ANSWER);
    pthread_mutex_lock(&here.sending);
    if (!send_frame(here.line, ANSWER, &body, -1))
        shutdown(here.line, SHUT_RDWR); /* the owner waits for no answer */
    pthread_mutex_unlock(&here.sending);
    free(body.at);
}

static void *run_all(void *one)
{
    struct runner *runner = one;
    struct bytes nothing = {0};
    put_nothing(&nothing);
    in_function = 1;
    for (;;) {
        pthread_mutex_lock(&runner->lock);
        while (runner->first == NULL)
            pthread_cond_wait(&runner->more, &runner->lock);
        struct job *job = runner->first;
        runner->first = job->next;
        if (runner->first == NULL)
            runner->last = &runner->first;
        pthread_mutex_unlock(&runner->lock);
        const uint64_t *a = job->arguments;
        ((void (*)(uint64_t, uint64_t, uint64_t, uint64_t))job->address)(a[0], a[1], a[2], a[3]);
        answer(job->number, &nothing);
        free(job);
    }
    return NULL;
}

static int start_thread(void *(*function)(void *), void *argument)
{
    sigset_t all, before;
    pthread_t started;
    int failed;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* only the program's own threads handle its signals */
    failed = pthread_create(&started, NULL, function, argument);
    if (!failed)
        pthread_detach(started);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        complain_of(NO_THREAD, failed);
    return !failed;
}

static int run(struct cursor *from, uint64_t number, struct runner **runners)
{
    size_t members = next(from).size;
    struct job *job = zeros(sizeof *job);
    if (job == NULL)
        return lose(NO_ANSWER);
    next(from);
    uint64_t who = next(from).number;
    next(from); /* the kinds of the arguments: integers and pointers are passed in the same way */
    *job = (struct job){.number = number, .address = next(from).number};
    for (size_t place = 4; place < members && place < 8; place++)
        job->arguments[place - 4] = next(from).number;
    while (*runners != NULL && (*runners)->who != who)
        runners = &(*runners)->next;
    if (*runners == NULL) {
        *runners = zeros(sizeof **runners);
        if (*runners == NULL) {
            free(job);
            return lose(NO_ANSWER);
        }
        (*runners)->who = who;
        (*runners)->last = &(*runners)->first;
        pthread_mutex_init(&(*runners)->lock, NULL);
        pthread_cond_init(&(*runners)->more, NULL);
        if (!start_thread(run_all, *runners))
            return 0;
    }
    pthread_mutex_lock(&(*runners)->lock);
    *(*runners)->last = job;
    (*runners)->last = &job->next;
    pthread_cond_signal(&(*runners)->more);
    pthread_mutex_unlock(&(*runners)->lock);
    return 1;
}

/* Split a request into its number and the rest. The rest is then laid out as a request inside another one. */
static uint64_t numbered(struct cursor *from, struct cursor *question)
{
    size_t members = next(from).size;
    uint64_t number = next(from).number;
    ((uint8_t *)from->at)[-1] = (uint8_t)(0x90 | (members - 1)); /* the head of an array with the remaining members */
    *question = (struct cursor){from->at - 1, from->end};
    return number;
}

/* Serve the first connection until it ends. */
static void *serve_first(void *unused)
{
    struct frame frame;
    struct runner *runners = NULL;
    int line = here.line;
    (void)unused;
    prctl(PR_SET_NAME, "fakecuda"); /* fakecuda.model.work.blocked does not count threads with this name */
    while (receive_frame(line, &frame)) {
        if (frame.kind != QUESTION) {
            drop(&frame);
            break;
        }
        struct cursor question, peek;
        uint64_t number = numbered(&frame.cursor, &question);
        peek = question;
        next(&peek);
        if (next(&peek).number == RUN) {
            if (!run(&question, number, &runners))
                shutdown(line, SHUT_RDWR); /* so that the owner does not wait for the function */
        } else {
            struct bytes value = {0};
            serve(&question, &value);
            answer(number, &value);
            free(value.at);
        }
        drop(&frame);
    }
    shutdown(line, SHUT_RDWR); /* so that the owner does not wait for an answer */
    return NULL;
}

static uint64_t proc_is_foreign(void)
{
    char name[32] = "", own[32];
    snprintf(own, sizeof own, "%d", (int)getpid());
    return readlink("/proc/self", name, sizeof name - 1) > 0 && strcmp(name, own) ? FOREIGN_PROC : 0; /* as in Python */
}

/* Attach this process to the machine; return whether it is attached. */
static int attach(void)
{
    struct frame welcome;
    const char *address = getenv(VARIABLE);
    if (address == NULL || !*address)
        return lose(VARIABLE " is not set: start the program under python -m fakecuda serve, or from a test with a machine");
    snprintf(here.path, sizeof here.path, "%s", address);
    char *number = strrchr(here.path, '#');
    if (number != NULL && number[1] && number[1 + strspn(number + 1, "0123456789")] == 0) {
        const char *digits = number + 1;
        here.machine = read_number(&digits);
        here.has_machine = 1;
        *number = 0;
    }
    int line = greet("process", (uint64_t)here.forking, here.known | proc_is_foreign(), &welcome);
    if (line < 0)
        return 0;
    struct cursor *from = &welcome.cursor;
    next(from);
    here.machine = next(from).number;
    here.has_machine = 1;
    next(from);
    struct item token = next(from);
    here.token_size = token.size < sizeof here.token ? token.size : sizeof here.token;
    memcpy(here.token, token.bytes, here.token_size);
    next(from);
    next(from);
    here.driver_version = (int)next(from).number;
    uint64_t start = next(from).number, end = next(from).number;
    if (!reserve(start, end)) {
        drop(&welcome);
        close(line);
        return lose("the machine's device addresses are not free in this process");
    }
    space.count = welcome.count;
    memcpy(space.files, welcome.descriptors, sizeof welcome.descriptors);
    memset(space.bases, 0, sizeof space.bases);
    welcome.count = 0; /* the descriptors are kept */
    drop(&welcome);
    here.line = line;
    if (!start_thread(serve_first, NULL)) {
        here.line = -1;
        close(line);
        for (int number = 0; number < space.count; number++)
            close(space.files[number]);
        space.count = 0;
        return 0;
    }
    here.attached = 1;
    here.known = 0;
    return 1;
}

static void start_counting(void);

/* Return whether the current thread has a connection; open one if needed. */
static int connected(void)
{
    struct frame welcome;
    if (here.lost)
        return 0;
    if (thread.generation != here.generation)
        thread = (struct thread){.line = -1, .generation = here.generation, .stacks = thread.stacks};
    if (thread.line >= 0)
        return 1;
    pthread_mutex_lock(&here.lock);
    int attached = here.attached || attach();
    if (attached)
        thread.line = greet("thread", (uint64_t)syscall(SYS_gettid), (uint64_t)in_function, &welcome);
    pthread_mutex_unlock(&here.lock);
    if (!attached || thread.line < 0)
        return 0;
    drop(&welcome);
    pthread_setspecific(here.ending, &thread);
    for (int place = 0; thread.stacks != NULL && place < MOST_STACKS; place++)
        thread.stacks[place].sent = 0;
    start_counting();
    return 1;
}

/* Tell the owner something; return whether it was sent. */
static int tell(int what, const struct bytes *value)
{
    struct bytes body = {0};
    put_array(&body, 2);
    put_unsigned(&body, (uint64_t)what);
    append_all(&body, value);
    int sent = send_frame(thread.line, NOTE, &body, -1);
    free(body.at);
    return sent;
}

static int invoke(const struct call *call, const uint64_t *arguments, int flags, const void *of);

#include "program.c"

static int tell_text(int what, const char *text)
{
    struct bytes value = {0};
    if (text == NULL)
        put_nothing(&value);
    else
        put_text(&value, text);
    int sent = tell(what, &value);
    free(value.at);
    return sent;
}

/* Report that a call got an address without memory. */
static void tell_unknown(const char *name, const struct stack *stack)
{
    struct bytes value = {0};
    put_array(&value, 4);
    put_text(&value, UNKNOWN_ADDRESS);
    put_text(&value, name);
    put_array(&value, 2);
    put_array(&value, 2);
    put_text(&value, "pointer");
    put_unsigned(&value, unknown_at);
    put_array(&value, 2);
    put_text(&value, "size");
    put_unsigned(&value, unknown_size);
    put_places(&value, stack);
    if (!tell(FOUND, &value) && no_room)
        complain(NO_ROOM);
    free(value.at);
    unknown_size = 0;
}

/* Wait for the answer to a call, and meanwhile do the owner's requests; return whether the answer came. */
static int await(struct frame *frame)
{
    while (receive_frame(thread.line, frame)) {
        if (frame->kind == RESULT || frame->kind == RAISED || frame->kind == NOTED)
            return 1;
        if (frame->kind != QUESTION) {
            struct item why = next(&frame->cursor);
            fprintf(stderr, "fakecuda: the machine has closed this connection: %.*s\n", (int)why.size, (const char *)why.bytes);
            drop(frame);
            return 0;
        }
        struct cursor question;
        struct bytes body = {0};
        uint64_t number = numbered(&frame->cursor, &question);
        put_array(&body, 2);
        put_unsigned(&body, number);
        serve(&question, &body);
        int sent = send_frame(thread.line, ANSWER, &body, -1);
        free(body.at);
        drop(frame);
        if (!sent) {
            shutdown(thread.line, SHUT_RDWR); /* the owner waits for no answer */
            return 0;
        }
    }
    return 0;
}

#include "report.c"

/* Return the answer of a call that does not reach the machine. */
static int shut(const struct call *call)
{
    if (call->flags & IS_NVML)
        return call->flags & IS_INIT ? DRIVER_NOT_LOADED : UNINITIALIZED;
    return here.left ? DEINITIALIZED : call->flags & IS_INIT ? NO_DEVICE : NOT_INITIALIZED;
}

/* What a call answers for which this process has no memory. */
static int scarce(const struct call *call) { return call->flags & IS_NVML ? NVML_MEMORY : OUT_OF_MEMORY; }

/* Return what a call answers that has raised an exception in the owner, which keeps that. */
static int raised(const struct call *call, struct cursor *from)
{
    for (int place = 0; place < 3; place++)
        next(from);
    struct item kind = next(from), text = next(from);
    if (kind.size == 11 && !memcmp(kind.bytes, "ProcessDied", 11))
        return DEINITIALIZED;
    if (kind.size == 13 && !memcmp(kind.bytes, "MachineClosed", 13))
        return shut(call);
    fprintf(stderr, "fakecuda: %s: %.*s\n", call->name, (int)text.size, (const char *)text.bytes);
    return UNKNOWN;
}

static uint64_t find_symbol(const char *base, int version, uint64_t flags);

/* Return the code of an answer, and write its results. */
static int take(const struct call *call, const uint64_t *arguments, const struct stack *stack, struct frame *frame)
{
    struct cursor *from = &frame->cursor;
    if (frame->kind == RAISED)
        return raised(call, from);
    next(from);
    next(from);
    int code = (int)next(from).number, descriptor = frame->count ? frame->descriptors[0] : -1;
    struct cursor outs = *from;
    skip(from);
    int mapped = map_changes(from) && !unmapped;
    here.known = next(from).number;
    unmapped = 0;
    if (!mapped)
        return UNKNOWN;
    if (frame->lost) {
        complain_of("this process had no free file descriptor for the result of a call: raise its limit (ulimit -n)", EMFILE);
        return UNKNOWN;
    }
    if (unknown_size) {
        tell_unknown(call->name, stack);
        return INVALID_VALUE;
    }
    struct cursor first = outs;
    if (next(&first).kind == NOTHING && !frame->count) /* NVML returns the needed size even if a buffer is too small */
        return code;
    if (call->outputs > 1)
        next(&outs);
    for (int place = 0; place < call->outputs; place++)
        if (!put_output(&outs, &call->output[place], arguments, &descriptor)) {
            complain(NO_ROOM);
            code = scarce(call);
        }
    if (descriptor < 0)
        frame->count = 0; /* the program owns it now */
    if (call->flags & FINDS_DRIVER && *(uint64_t *)arguments[1]) {
        int by_version = call->inputs > 2;
        int version = by_version ? (int)arguments[2] : here.driver_version;
        *(uint64_t *)arguments[1] = find_symbol((const char *)arguments[0], version, arguments[2 + by_version]);
    }
    return code;
}

/* Return whether a result of NVML is also an input. The input already shows whether its pointer is null. */
static int is_given(const struct call *call, int output)
{
    if (!(call->flags & IS_NVML))
        return 0;
    for (int place = 0; place < call->inputs; place++)
        if (call->input[place].argument == call->output[output].argument)
            return 1;
    return 0;
}

/* Make a call; return whether its answer came, or -1 if there was no memory to send it. */
static int made(const struct call *call, const uint64_t *arguments, int flags, struct stack *stack, struct frame *frame)
{
    struct bytes body = {0};
    uint64_t nulls = 0;
    int descriptor = -1;
    if (!(here.known & READY_NOW) || call->flags & IS_INIT) {
        tell_text(VISIBLE_DEVICES, getenv("CUDA_VISIBLE_DEVICES"));
        tell_text(MODULE_LOADING, getenv("CUDA_MODULE_LOADING"));
    }
    if (thread.last_error && !no_room) {
        struct bytes value = {0};
        put_signed(&value, thread.last_error);
        thread.last_error = tell(LAST_ERROR, &value) ? 0 : thread.last_error;
        free(value.at);
    }
    tell_program();
    for (int place = 0; place < call->outputs; place++)
        if (!(call->flags & RETURNS_TEXT) && !arguments[call->output[place].argument] && !is_given(call, place))
            nulls |= 1ull << place;
    put_array(&body, 6);
    put_unsigned(&body, ++thread.number);
    put_unsigned(&body, call->number);
    put_unsigned(&body, (uint64_t)(NATIVE | flags));
    put_unsigned(&body, nulls);
    put_array(&body, call->inputs);
    for (int place = 0; place < call->inputs; place++) {
        int found = put_input(&body, &call->input[place], arguments);
        descriptor = found >= 0 ? found : descriptor;
    }
    put_stack(&body, thread.stacks, stack);
    int sent = !no_room && send_frame(thread.line, CALL, &body, descriptor);
    stack->sent |= sent;
    int came = no_room ? -1 : sent && await(frame);
    free(body.at);
    return came;
}

/* Make a call of a function of the client, whose frame is given. */
static int invoke(const struct call *call, const uint64_t *arguments, int flags, const void *of)
{
    struct frame frame;
    no_room = 0;
    if (here.left || !connected())
        return no_room ? scarce(call) : shut(call);
    if (thread.stacks == NULL && (thread.stacks = zeros(MOST_STACKS * sizeof *thread.stacks)) == NULL) {
        complain(NO_ROOM);
        return scarce(call);
    }
    if (thread.busy) {
        complain("a signal handler called the driver during a driver call of the same thread: fakecuda supports this only in Python programs");
        return UNKNOWN;
    }
    thread.busy = 1;
    struct stack *stack = stack_of_call(thread.stacks, of);
    int came = made(call, arguments, flags, stack, &frame), code = shut(call);
    thread.busy = 0;
    if (came < 0) {
        complain(NO_ROOM);
        return scarce(call);
    }
    if (!came) {
        if (is_scarce(failed_by))
            complain_of("this thread has lost its machine: close file descriptors and free memory, or raise the limits (ulimit)", failed_by);
        lose(no_room ? NO_ANSWER : "the machine that this process was attached to has ended");
        return no_room ? scarce(call) : code;
    }
    code = take(call, arguments, stack, &frame);
    drop(&frame);
    return code;
}

/* Return the address of a call's text result. */
static uint64_t invoke_text(const struct call *call, const uint64_t *arguments, const void *of)
{
    uint64_t text = 0, room[] = {arguments[0], (uint64_t)&text};
    struct call returning = *call;
    struct output output = {.argument = 1, .returned = TEXT_AT, .key = -1};
    returning.output = &output;
    int code = invoke(&returning, room, 0, of);
    return code || !text ? (uint64_t)"" : text;
}

/* Answer for a function that is not modelled, and print this once. */
static int not_modelled(const char *what, int api, int *told)
{
    if (!*told)
        fprintf(stderr, "fakecuda: %s\n", what);
    *told = 1;
    if (api == RUNTIME_API)
        thread.last_error = NOT_SUPPORTED;
    return api == NVML_API ? NVML_NOT_SUPPORTED : NOT_SUPPORTED;
}

#include "exports.c"

#include "functions.h"

/* Return the address of the newest form of a driver function that suits a version of CUDA. */
static uint64_t find_symbol(const char *base, int version, uint64_t flags)
{
    int asked = version >= 0 ? version : here.driver_version;
    for (size_t place = 0; place < sizeof forms / sizeof *forms; place++) {
        const struct form *form = &forms[place];
        if (strcmp(form->base, base) || form->version > here.driver_version)
            continue;
        int own_stream = form->has_own_stream && flags & PER_THREAD_DEFAULT_STREAM;
        if (form->version > asked || form->own_stream != own_stream)
            continue;
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        void *stub = library == NULL ? NULL : dlsym(library, form->name);
        if (library != NULL)
            dlclose(library);
        return (uint64_t)(stub == NULL ? form->function : stub);
    }
    return 0;
}

static void before_fork(void)
{
    pthread_mutex_lock(&here.lock);
    here.forking = (int)syscall(SYS_gettid);
}

static void in_parent(void) { pthread_mutex_unlock(&here.lock); }

/* Continue in a forked child as a new process, which attaches at its first call. */
static void in_child(void)
{
    pthread_mutex_init(&here.lock, NULL);
    pthread_mutex_init(&here.sending, NULL);
    pthread_mutex_init(&space.lock, NULL);
    if (!here.attached)
        return;
    close(here.line);
    if (thread.line >= 0)
        close(thread.line);
    for (int number = 0; number < space.count; number++)
        close(space.files[number]);
    space.count = 0;
    here.line = -1;
    here.attached = 0;
    here.generation++;
    pthread_mutex_init(&program.lock, NULL);
    program.changed = program.count > 0;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_key_create(&here.ending, thread_ends);
    pthread_atfork(before_fork, in_parent, in_child);
    watch_exit();
}

/* Tell the owner that the program's exit handlers have run, and wait until it has torn the driver down. */
__attribute__((destructor)) static void leave(void)
{
    struct frame frame;
    print_at_exit();
    no_room = 0;
    if (here.attached && !here.lost && connected() && tell_text(TEAR_DOWN, NULL) && await(&frame))
        drop(&frame);
    if (no_room)
        complain(NO_ROOM);
    here.left = 1;
    if (was_found && !exit_status)
        exit(1);
}
