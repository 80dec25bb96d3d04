/* Calls: what a function of the client sends to the owner, and what it does with the answer. */

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
