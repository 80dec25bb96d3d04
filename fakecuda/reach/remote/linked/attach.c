/* Connections to the owner: the greeting, the connection of this process, and that of each thread. */

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
