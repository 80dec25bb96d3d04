/* The state of this process and of its threads, and why calls do not reach the machine. */

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
