/* Requests of the owner over the first connection: some call functions of the program, which run in threads of their own. */

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
