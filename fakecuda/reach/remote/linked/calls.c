/* Conversion between the arguments of C and the plain values of a call, and between plain results and C's pointers. */

enum given { VALUE, BEHIND, MANY, STRING, IMAGE, DESCRIPTOR, MEMORY_OPERATIONS, STREAM_VALUE, POOL_WORD, FIELDS, RESOURCE,
    RUNTIME_RESOURCE, LAUNCH_CONFIG, EXTENTS, EXTENTS_LESS_1, EXTENTS_LESS_2 };
enum returned { RESULT_AT, RESULTS_AT, TEXT_IN, TEXT_AT, BYTES_AT, DEVICE_NAME, STREAM_VALUE_AT, INTS, LISTS_OF_INTS,
    ATTRIBUTE_AT, ATTRIBUTES_AT, DESCRIPTOR_AT, POOL_WORD_AT, OWNED_AT,
    NODE_TOLD, RESOURCE_AT, RUNTIME_RESOURCE_AT };
enum api { DRIVER_API, RUNTIME_API, NVML_API };
enum { IS_INIT = 1, FINDS_DRIVER = 2, RETURNS_TEXT = 4, IS_NVML = 8 };

/* An input: the argument's index in C, how to read it, and the arguments that it depends on. */
struct input {
    uint8_t argument, given;
    int8_t key, most;
    const char *shape;
};

struct output {
    uint8_t argument, returned;
    int8_t key;
    const char *shape;
};

struct call {
    const char *name;
    uint16_t number;
    uint8_t flags, inputs, outputs;
    const struct input *input;
    const struct output *output;
};

struct form {
    const char *base;
    const char *name;
    int version, own_stream, has_own_stream;
    void *function;
};

struct layout {
    int key;
    const char *shape;
};

#include "tables.h"

static const char *shape_for(const struct layout *layouts, size_t count, int key, const char *otherwise)
{
    for (size_t place = 0; place < count; place++)
        if (layouts[place].key == key)
            return layouts[place].shape;
    return otherwise;
}

#define SHAPE_FOR(layouts, key, otherwise) shape_for(layouts, sizeof layouts / sizeof *layouts, (int)(key), otherwise)

static int is_among(const int *numbers, size_t count, uint64_t number)
{
    for (size_t place = 0; place < count; place++)
        if (numbers[place] == (int)number)
            return 1;
    return 0;
}

#define IS_AMONG(numbers, number) is_among(numbers, sizeof numbers / sizeof *numbers, number)

/* Return the size of an image of code, a cubin, a fatbin or a text, from its header or terminating zero. */
static uint64_t image_size(const char *image)
{
    if (!strncmp(image, "\177ELF", 4)) {
        uint64_t segments = *(const uint64_t *)(image + 0x20), sections = *(const uint64_t *)(image + 0x28);
        const uint16_t *sizes = (const uint16_t *)(image + 0x36); /* size and number of segments, then of sections */
        uint64_t first = segments + sizes[0] * sizes[1], last = sections + sizes[2] * sizes[3];
        return first > last ? first : last;
    }
    if (!strncmp(image, "\x50\xED\x55\xBA", 4))
        return *(const uint16_t *)(image + 6) + *(const uint64_t *)(image + 8);
    return strlen(image);
}

/* Append the resource of a texture or surface: its type, what a union has for that, and flags, which a program's struct of the
   runtime API may lack. */
static void put_resource(struct bytes *to, uint64_t at, const char *used, int has_flags)
{
    put_array(to, 3);
    put_signed(to, *(int32_t *)at);
    load(to, used, at + RESOURCE_UNION);
    put_unsigned(to, has_flags ? *(uint32_t *)(at + RESOURCE_FLAGS) : 0);
}

/* Append the configuration of a launch, with its attributes. */
static void put_launch_config(struct bytes *to, uint64_t at)
{
    uint64_t attributes = *(uint64_t *)(at + LAUNCH_ATTRIBUTES), count = *(uint32_t *)(at + LAUNCH_COUNT);
    put_array(to, members_of(LAUNCH_HEAD) + 1);
    const char *head = LAUNCH_HEAD;
    load_shape(to, &head, (const uint8_t *)at);
    if (!attributes && count) {
        put_nothing(to);
        return;
    }
    put_array(to, count);
    for (; count--; attributes += LAUNCH_ATTRIBUTE_SIZE)
        load(to, SHAPE_FOR(launch_attributes, *(int32_t *)attributes, "(i)"), attributes);
}

/* Append the plain value of an input; return its descriptor, which is sent beside the frame, or -1. */
static int put_input(struct bytes *to, const struct input *input, const uint64_t *arguments)
{
    uint64_t value = arguments[input->argument], key = input->key >= 0 ? arguments[input->key] : 0;
    if (input->given == VALUE) {
        load(to, input->shape, (uint64_t)&value);
    } else if (input->given == DESCRIPTOR && key == POSIX_DESCRIPTOR) {
        put_signed(to, -1);
        return fcntl((int)value, F_GETFD) < 0 ? -1 : (int)value;
    } else if (input->given == DESCRIPTOR && (key != FABRIC || !value)) {
        put_signed(to, (int32_t)value);
    } else if (!value) {
        put_nothing(to);
    } else if (input->given == MANY) {
        uint64_t count = input->most >= 0 && arguments[input->most] < key ? arguments[input->most] : key;
        put_array(to, count);
        for (uint64_t number = 0; number < count; number++)
            load(to, input->shape, value + number * size_of(input->shape));
    } else if (input->given == STRING) {
        put_bytes(to, (const char *)value, strlen((const char *)value));
    } else if (input->given == IMAGE) {
        put_bytes(to, (const char *)value, image_size((const char *)value));
    } else if (input->given == FIELDS) {
        uint64_t count = (int32_t)key > 0 ? key : 0;
        put_array(to, count);
        for (uint64_t number = 0; number < count; number++)
            put_unsigned(to, *(uint64_t *)(value + number * FIELD_SIZE)); /* the number, and the scope in the upper half */
    } else if (input->given == MEMORY_OPERATIONS) {
        uint64_t count = key < MOST_OPERATIONS ? key : 0;
        put_array(to, count);
        for (uint64_t number = 0; number < count; number++, value += OPERATION_SIZE)
            load(to, SHAPE_FOR(operations, *(int32_t *)value, "(i)"), value);
    } else if (input->given == RESOURCE) {
        put_resource(to, value, SHAPE_FOR(resources, *(int32_t *)value, "()"), 1);
    } else if (input->given == RUNTIME_RESOURCE) {
        put_resource(to, value, SHAPE_FOR(runtime_resources, *(int32_t *)value, "()"), 0);
    } else if (input->given == LAUNCH_CONFIG) {
        put_launch_config(to, value);
    } else if (input->given >= EXTENTS) {
        uint64_t less = input->given - EXTENTS, rank = (uint32_t)key;
        uint64_t count = less < rank && rank <= MOST_RANKS ? rank - less : 0;
        put_array(to, count);
        for (uint64_t number = 0; number < count; number++)
            load(to, input->shape, value + number * size_of(input->shape));
    } else {
        const char *shape = input->shape;
        if (input->given == STREAM_VALUE)
            shape = SHAPE_FOR(stream_values, key, "()");
        else if (input->given == POOL_WORD)
            shape = IS_AMONG(pool_sizes, key) ? "Q" : "i";
        load(to, shape, value);
    }
    return -1;
}

/* Return the address of a copy of a text that lives as long as the process. */
static uint64_t keep_text(struct item text)
{
    static struct kept {
        struct kept *next;
        char text[];
    } *all;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    struct kept *one = all;
    while (one != NULL && (strlen(one->text) != text.size || memcmp(one->text, text.bytes, text.size)))
        one = one->next;
    if (one == NULL && (one = zeros(sizeof *one + text.size + 1)) != NULL) {
        memcpy(one->text, text.bytes, text.size);
        one->next = all;
        all = one;
    }
    pthread_mutex_unlock(&lock);
    return one == NULL ? 0 : (uint64_t)one->text;
}

/* Write an attribute of memory: an int or a 64-bit word, depending on the attribute; a token as bytes. */
static void store_attribute(struct cursor *from, uint64_t at, uint64_t attribute)
{
    struct item item = next(from);
    if (!at)
        return;
    if (item.kind == BYTES)
        memcpy((void *)at, item.bytes, item.size);
    else
        memcpy((void *)at, &item.number, IS_AMONG(wide_attributes, attribute) ? 8 : 4);
}

/* Write consecutive ints: one for a number, all elements for an array. */
static void store_ints(struct cursor *from, uint64_t at)
{
    struct item item = next(from);
    size_t count = item.kind == ARRAY ? item.size : 1;
    for (size_t number = 0; number < count; number++) {
        int32_t value = (int32_t)(item.kind == ARRAY ? next(from) : item).number;
        if (at)
            memcpy((void *)(at + 4 * number), &value, 4);
    }
}

/* Return memory for an array that the driver owns. It stays valid until the thread gets 16 more of them. */
static uint64_t own_array(size_t size)
{
    static _Thread_local void *kept[16];
    static _Thread_local unsigned given;
    void **place = &kept[given++ % 16];
    free(*place);
    *place = room(NULL, size ? size : 1);
    return (uint64_t)*place;
}

/* Write what was made for a node into its parameters: the address of memory, or an array of graphs that stays; return whether
   there was memory for that. */
static int store_told(struct cursor *from, size_t count, uint64_t at)
{
    if (*(int32_t *)at != CONDITIONAL) {
        *(uint64_t *)(at + ADDRESS_OF_MEMORY) = next(from).number;
        return 1;
    }
    uint64_t *graphs = room(NULL, (count + !count) * sizeof *graphs);
    for (size_t number = 0; graphs != NULL && number < count; number++)
        graphs[number] = next(from).number;
    *(uint64_t **)(at + GRAPHS_OF_CONDITIONAL) = graphs;
    return graphs != NULL;
}

/* Write the resource of a texture or surface. */
static void store_resource(struct cursor *from, uint64_t at, const struct layout *layouts, size_t count, size_t size)
{
    int32_t type = (int32_t)next(from).number;
    memset((void *)at, 0, size);
    *(int32_t *)at = type;
    store(from, shape_for(layouts, count, type, "()"), at + RESOURCE_UNION);
    if (size > RESOURCE_FLAGS)
        *(uint32_t *)(at + RESOURCE_FLAGS) = (uint32_t)next(from).number;
}

/* Write a result through the caller's pointer; return whether there was memory for what it points to. */
static int put_output(struct cursor *from, const struct output *output, const uint64_t *arguments, int *descriptor)
{
    uint64_t at = arguments[output->argument], key = output->key >= 0 ? arguments[output->key] : 0;
    struct cursor value = *from, inside = *from;
    struct item item = next(&inside);
    size_t room;
    skip(from);
    int whole = 1;
    if (!at || (item.kind == NOTHING && *descriptor < 0))
        return whole;
    switch (output->returned) {
    case RESULT_AT:
        store(&value, output->shape, at);
        break;
    case RESULTS_AT:
        for (size_t number = 0; number < item.size; number++)
            store(&inside, output->shape, at + number * size_of(output->shape));
        break;
    case OWNED_AT:
        at = *(uint64_t *)at = item.size ? own_array(item.size * size_of(output->shape)) : 0;
        whole = at || !item.size;
        for (size_t number = 0; at && number < item.size; number++)
            store(&inside, output->shape, at + number * size_of(output->shape));
        break;
    case NODE_TOLD:
        whole = store_told(&inside, item.size, at);
        break;
    case TEXT_IN:
        memcpy((void *)at, item.bytes, item.size);
        ((char *)at)[item.size] = 0;
        break;
    case TEXT_AT:
        *(uint64_t *)at = keep_text(item);
        whole = *(uint64_t *)at != 0;
        break;
    case BYTES_AT:
        memcpy((void *)at, item.bytes, item.size);
        break;
    case DEVICE_NAME:
        room = (int32_t)key < 0 || key > KEPT_OF_A_NAME ? KEPT_OF_A_NAME : key;
        memset((void *)at, 0, room > item.size ? room : item.size + 1);
        memcpy((void *)at, item.bytes, item.size);
        break;
    case STREAM_VALUE_AT:
        memset((void *)at, 0, STREAM_VALUE_SIZE);
        store(&value, SHAPE_FOR(stream_values, key, "()"), at);
        break;
    case INTS:
        store_ints(&value, at);
        break;
    case LISTS_OF_INTS:
        for (size_t number = 0; number < item.size; number++)
            store_ints(&inside, ((uint64_t *)at)[number]);
        break;
    case ATTRIBUTE_AT:
        store_attribute(&value, at, key);
        break;
    case ATTRIBUTES_AT:
        for (size_t number = 0; number < item.size; number++)
            store_attribute(&inside, ((uint64_t *)at)[number], (uint64_t)((int32_t *)key)[number]);
        break;
    case DESCRIPTOR_AT:
        if (item.kind == BYTES)
            memcpy((void *)at, item.bytes, item.size);
        else
            *(int32_t *)at = *descriptor >= 0 ? *descriptor : (int32_t)item.number;
        *descriptor = -1;
        break;
    case POOL_WORD_AT:
        memcpy((void *)at, &item.number, IS_AMONG(pool_sizes, key) ? 8 : 4);
        break;
    case RESOURCE_AT:
        store_resource(&inside, at, resources, sizeof resources / sizeof *resources, RESOURCE_SIZE);
        break;
    case RUNTIME_RESOURCE_AT:
        store_resource(&inside, at, runtime_resources, sizeof runtime_resources / sizeof *runtime_resources, RESOURCE_USED);
        break;
    }
    return whole;
}
