/* What the machine has found of this process: on request of the program, by fakecuda.h, and at its exit, by an environment
   variable. */

static unsigned at_exit; /* what is printed at exit */
static int exit_status = -1, was_found;

/* Return what was found since the last request, as text that stays until the thread's next request; empty if nothing was. */
static const char *ask(unsigned what)
{
    static __thread char *text;
    struct bytes value = {0};
    struct frame frame;
    put_unsigned(&value, what);
    free(text);
    text = NULL;
    thread.busy = 1;
    int came = tell(REPORT, &value) && await(&frame);
    thread.busy = 0;
    free(value.at);
    if (!came)
        return "";
    next(&frame.cursor);
    struct item item = next(&frame.cursor);
    text = item.kind == TEXT ? room(NULL, item.size + 1) : NULL;
    if (text != NULL) {
        memcpy(text, item.bytes, item.size);
        text[item.size] = 0;
    }
    drop(&frame);
    return text == NULL ? "" : text;
}

/* Have the machine count refused calls from the first connection on, if they are printed at exit. */
static void start_counting(void)
{
    static int counted = -1;
    if (!(at_exit & ERRORS) || counted == here.generation)
        return;
    counted = here.generation;
    ask(ERRORS);
}

/* Return what was found since the last request. Without a machine, nothing was. fakecuda.h calls it. */
const char *fakecuda_client_report(unsigned what)
{
    no_room = 0;
    if (!here.attached || here.lost || here.left || thread.busy || !connected())
        return "";
    const char *text = ask(what);
    if (no_room)
        complain(NO_ROOM);
    return text;
}

/* Print what was found, in the client's destructor: those of the program have run, and may have freed memory. */
static void print_at_exit(void)
{
    const char *text = at_exit ? fakecuda_client_report(at_exit) : "";
    if (*text)
        fprintf(stderr, "fakecuda: %s\n", text);
    was_found = *text != 0;
}

/* Learn the exit status. This comes after the destructors, or before them if the program has loaded the client itself. */
static void take_status(int status, void *unused)
{
    (void)unused;
    exit_status = status;
    if (was_found && !status)
        exit(1); /* the handlers that are left run with the new status */
}

/* Read the environment variable, and print what it asks for at exit. */
static void watch_exit(void)
{
    static const struct { const char *word; unsigned what; } words[] = {
        {"findings", FINDINGS}, {"leaks", LEAKS}, {"errors", ERRORS}};
    const char *text = getenv(AT_EXIT);
    while (text != NULL && *text) {
        size_t size = strcspn(text, ","), place = 0;
        while (place < sizeof words / sizeof *words && (strlen(words[place].word) != size || strncmp(words[place].word, text, size)))
            place++;
        if (place < sizeof words / sizeof *words)
            at_exit |= words[place].what;
        else if (size)
            fprintf(stderr, "fakecuda: " AT_EXIT " has %.*s: write findings, leaks, errors, or several with commas\n", (int)size, text);
        text += size + (text[size] == ',');
    }
#ifdef __GLIBC__
    if (at_exit)
        on_exit(take_status, NULL);
#endif
}
