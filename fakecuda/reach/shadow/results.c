/* Reading what the driver has written, and what it has read.

   Nothing is read before the driver's call, except the words of the arguments: an address may be bad, and the driver may refuse
   the call before it looks. After a success the driver has used the addresses. After a failure, each is tried first. */

/* Return whether a byte can be read. */
static int is_readable(uint64_t at)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)at, 1};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

#define PAGE 4096ull

/* Return whether a range of bytes can be read. */
static int are_readable(uint64_t at, uint64_t size)
{
    if (size > 1 << 20)
        return 0;
    for (uint64_t page = at; page < at + size; page = (page | (PAGE - 1)) + 1)
        if (!is_readable(page))
            return 0;
    return 1;
}

/* Return whether a text can be read up to its terminating zero. */
static int is_readable_text(uint64_t at)
{
    for (int pages = 0; pages < 16; pages++) {
        uint64_t behind = (at | (PAGE - 1)) + 1;
        if (!is_readable(at))
            return 0;
        if (memchr((void *)at, 0, behind - at))
            return 1;
        at = behind;
    }
    return 0;
}

#define MOST_MEMBERS 4096ull

static uint64_t members_at(const struct input *input, const uint64_t *words)
{
    uint64_t key = input->key >= 0 ? words[input->key] : 0;
    return input->most >= 0 && words[input->most] < key ? words[input->most] : key;
}

#define MOST_ATTRIBUTES 32u

/* Return whether the configuration of a launch can be read, with its attributes. */
static int is_launch_readable(uint64_t at)
{
    if (!are_readable(at, LAUNCH_SIZE))
        return 0;
    uint64_t attributes = *(uint64_t *)(at + LAUNCH_ATTRIBUTES), count = *(uint32_t *)(at + LAUNCH_COUNT);
    return !attributes || (count <= MOST_ATTRIBUTES && are_readable(attributes, count * LAUNCH_ATTRIBUTE_SIZE));
}

/* Return whether an input can be read. */
static int is_input_readable(const struct input *input, const uint64_t *words)
{
    uint64_t at = words[input->argument];
    if (input->given == VALUE || !at)
        return 1;
    if (input->given == STRING)
        return is_readable_text(at);
    if (input->given == DESCRIPTOR)
        return words[input->key] != FABRIC || are_readable(at, size_of(input->shape));
    if (input->given == MANY)
        return are_readable(at, members_at(input, words) * size_of(input->shape));
    if (input->given == MEMORY_OPERATIONS)
        return are_readable(at, (words[input->key] < MOST_OPERATIONS ? words[input->key] : 0) * OPERATION_SIZE);
    if (input->given == LAUNCH_CONFIG)
        return is_launch_readable(at);
    if (input->given >= EXTENTS)
        return are_readable(at, (words[input->key] <= MOST_RANKS ? words[input->key] : 0) * size_of(input->shape));
    if (input->given == RESOURCE)
        return are_readable(at, RESOURCE_SIZE);
    return are_readable(at, input->given == STREAM_VALUE ? STREAM_VALUE_SIZE : input->given == POOL_WORD ? 8 : size_of(input->shape));
}

/* Append an input. Bytes are not kept: neither those of images, nor those behind addresses of memory. */
static void put_given(struct bytes *to, const struct input *input, const uint64_t *words, int code)
{
    if (input->given == IMAGE || (input->given == MANY && members_at(input, words) > MOST_MEMBERS) || (code && !is_input_readable(input, words)))
        put_nothing(to);
    else
        put_input(to, input, words);
}

/* Return how many words a call reads behind a pointer and then overwrites; 0 for other inputs. */
static unsigned overwritten(const struct call *call, const struct input *input, const uint64_t *words)
{
    if (!(call->flags & IN_AND_OUT) || input->given != BEHIND || !words[input->argument])
        return 0;
    unsigned size = (size_of(input->shape) + 7) / 8;
    return size <= MOST_READ ? size : 0;
}

/* Keep what a call overwrites; what cannot be read is 0. */
static void read_first(const struct call *call, const uint64_t *words, uint64_t *read)
{
    for (int place = 0; place < call->inputs; place++) {
        const struct input *input = &call->input[place];
        unsigned size = overwritten(call, input, words);
        uint64_t at = words[input->argument];
        memset(read, 0, 8 * size);
        if (size && are_readable(at, size_of(input->shape)))
            memcpy(read, (void *)at, size_of(input->shape));
        read += size;
    }
}

/* Return a number of members: an argument, or what an argument points to. If the call overwrites that, the number before it
   counts: the driver fills the rest of the array with zeros. */
static uint64_t counted(const struct call *call, int argument, const uint64_t *words, const uint64_t *read)
{
    uint64_t found = words[argument];
    for (int place = 0; place < call->inputs; place++) {
        unsigned size = overwritten(call, &call->input[place], words);
        if (size && call->input[place].argument == argument)
            return *read;
        read += size;
    }
    for (int place = 0; place < call->outputs; place++)
        if (call->output[place].argument == argument)
            return found ? *(uint64_t *)found : 0;
    return found;
}

static void put_members(struct bytes *to, const char *shape, uint64_t at, uint64_t members)
{
    if (!at || members > MOST_MEMBERS) {
        put_nothing(to);
        return;
    }
    put_array(to, members);
    for (uint64_t number = 0; number < members; number++)
        load(to, shape, at + number * size_of(shape));
}

/* Append an attribute of memory: an int or a 64-bit word. */
static void put_attribute(struct bytes *to, uint64_t at, uint64_t attribute)
{
    if (at)
        load(to, IS_AMONG(wide_attributes, attribute) ? "Q" : "i", at);
    else
        put_nothing(to);
}

/* Append what a call has made for a node: the address of memory, or the graphs of a conditional. */
static void put_node_told(struct bytes *to, uint64_t at)
{
    int32_t type = *(int32_t *)at;
    if (type == MEMORY_NODE)
        put_members(to, "Q", at + ADDRESS_OF_MEMORY, 1);
    else if (type == CONDITIONAL)
        put_members(to, "Q", *(uint64_t *)(at + GRAPHS_OF_CONDITIONAL), *(uint32_t *)(at + COUNT_OF_GRAPHS));
    else
        put_nothing(to);
}

/* Append a result of a call that has succeeded. */
static void put_result(struct bytes *to, const struct call *call, const struct output *output, const uint64_t *words, const uint64_t *read)
{
    uint64_t at = words[output->argument], key = output->key >= 0 ? words[output->key] : 0;
    uint64_t members = output->key >= 0 ? counted(call, output->key, words, read) : 0;
    if (!at) {
        put_nothing(to);
        return;
    }
    switch (output->returned) {
    case RESULT_AT:
    case BYTES_AT:
        load(to, output->shape, at);
        break;
    case RESULTS_AT:
        put_members(to, output->shape, at, members);
        break;
    case OWNED_AT:
        put_members(to, output->shape, *(uint64_t *)at, members);
        break;
    case DEVICE_NAME:
    case TEXT_IN:
        put_bytes(to, (void *)at, strnlen((char *)at, (size_t)(int32_t)key));
        break;
    case TEXT_AT:
        put_bytes(to, *(char **)at, strlen(*(char **)at));
        break;
    case NODE_TOLD:
        put_node_told(to, at);
        break;
    case STREAM_VALUE_AT:
        load(to, SHAPE_FOR(stream_values, key, "()"), at);
        break;
    case ATTRIBUTE_AT:
        put_attribute(to, at, key);
        break;
    case ATTRIBUTES_AT:
        put_array(to, words[0]);
        for (uint64_t number = 0; number < words[0]; number++)
            put_attribute(to, ((uint64_t *)at)[number], (uint64_t)((int32_t *)key)[number]);
        break;
    case RESOURCE_AT:
        put_resource(to, at, SHAPE_FOR(resources, *(int32_t *)at, "()"), 1);
        break;
    case POOL_WORD_AT:
        load(to, IS_AMONG(pool_sizes, key) ? "Q" : "i", at);
        break;
    default:
        put_nothing(to);
    }
}
