/* What a compiled program registers with the runtime library: images, and the host addresses that stand for their kernels and
   variables. This process keeps all of it, and tells the owner before its next call. The owner reads an image when its code is
   first used. A handle of a kernel that a program keeps is the host function that stands for the kernel. */

#define WRAPPER 0x466243B1
#define LINKED 2
#define ROWS 1000
#define MOST_PUSHED 16
#define INVALID_FUNCTION 98
#define NOT_CONFIGURED 52

enum { FUNCTION_ROW, VARIABLE_ROW };

struct dimensions {
    uint32_t x, y, z;
};

struct wrapper {
    uint32_t magic, version;
    uint64_t image, others;
};

struct binary {
    uint64_t number, image, others;
};

struct symbol {
    int kind, is_managed;
    const struct binary *binary;
    uint64_t host;
    const char *name;
};

static struct {
    pthread_mutex_t lock;
    struct symbol *symbols;
    size_t count, room;
    uint64_t binaries;
    int changed; /* since the owner was told */
} program = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread struct {
    struct dimensions grid, block;
    uint64_t shared, stream;
} pushed[MOST_PUSHED];
static __thread int pushed_count;

static uint64_t register_binary(const struct wrapper *wrapper)
{
    struct binary *made = zeros(sizeof *made);
    if (made == NULL)
        return 0;
    pthread_mutex_lock(&program.lock);
    made->number = ++program.binaries;
    if (wrapper != NULL && wrapper->magic == WRAPPER) {
        made->image = wrapper->image;
        made->others = wrapper->version == LINKED ? wrapper->others : 0;
    }
    pthread_mutex_unlock(&program.lock);
    return (uint64_t)made;
}

static uint64_t register_symbol(int kind, uint64_t binary, uint64_t host, const char *name, int is_managed)
{
    if (!binary)
        return 0;
    pthread_mutex_lock(&program.lock);
    if (program.count == program.room) {
        size_t wanted = 2 * program.room + 64;
        struct symbol *more = room(program.symbols, wanted * sizeof *more);
        program.room = more == NULL ? program.room : wanted;
        program.symbols = more == NULL ? program.symbols : more;
    }
    if (program.count < program.room) {
        program.symbols[program.count++] = (struct symbol){kind, is_managed, (const struct binary *)binary, host, name};
        program.changed = 1;
    }
    pthread_mutex_unlock(&program.lock);
    return 0;
}

/* Forget an image, whose file is being unloaded. */
static uint64_t unregister_binary(uint64_t binary)
{
    size_t kept = 0;
    pthread_mutex_lock(&program.lock);
    for (size_t place = 0; place < program.count; place++)
        if ((uint64_t)program.symbols[place].binary != binary)
            program.symbols[kept++] = program.symbols[place];
    program.changed |= kept < program.count;
    program.count = kept;
    pthread_mutex_unlock(&program.lock);
    return 0;
}

static uint64_t push_configuration(struct dimensions grid, struct dimensions block, uint64_t shared, uint64_t stream)
{
    if (pushed_count == MOST_PUSHED)
        return 1;
    pushed[pushed_count].grid = grid;
    pushed[pushed_count].block = block;
    pushed[pushed_count].shared = shared;
    pushed[pushed_count++].stream = stream;
    return 0;
}

static uint64_t pop_configuration(struct dimensions *grid, struct dimensions *block, uint64_t *shared, uint64_t *stream)
{
    if (!pushed_count)
        return NOT_CONFIGURED;
    pushed_count--;
    *grid = pushed[pushed_count].grid;
    *block = pushed[pushed_count].block;
    *shared = pushed[pushed_count].shared;
    *stream = pushed[pushed_count].stream;
    return 0;
}

/* Return the handle by which the program launches a kernel. */
static uint64_t find_kernel(uint64_t *result, uint64_t host)
{
    uint64_t code = INVALID_FUNCTION;
    pthread_mutex_lock(&program.lock);
    for (size_t place = 0; place < program.count && code; place++)
        if (program.symbols[place].kind == FUNCTION_ROW && program.symbols[place].host == host) {
            *result = host;
            code = 0;
        }
    pthread_mutex_unlock(&program.lock);
    return code;
}

/* Tell the owner what the program has registered, if that has changed. */
static void tell_program(void)
{
    if (!program.changed)
        return;
    pthread_mutex_lock(&program.lock);
    program.changed = 0;
    for (size_t at = 0; at == 0 || at < program.count; at += ROWS) {
        size_t end = at + ROWS < program.count ? at + ROWS : program.count;
        struct bytes value = {0};
        put_array(&value, 2);
        put_unsigned(&value, at == 0);
        put_array(&value, end - at);
        for (size_t place = at; place < end; place++) {
            const struct symbol *one = &program.symbols[place];
            put_array(&value, 6);
            put_unsigned(&value, (uint64_t)one->kind);
            put_unsigned(&value, one->binary->number);
            put_unsigned(&value, one->binary->image);
            put_unsigned(&value, one->binary->others);
            put_unsigned(&value, one->host);
            put_bytes(&value, one->name, strlen(one->name));
        }
        program.changed |= !tell(PROGRAM, &value);
        free(value.at);
    }
    pthread_mutex_unlock(&program.lock);
}

/* Write the addresses of an image's managed variables to where the program keeps them. */
static uint64_t fill_managed(const struct call *call, uint64_t binary, const void *of)
{
    uint64_t done = 1;
    for (size_t place = 0; place < program.count; place++) {
        struct symbol one = program.symbols[place];
        uint64_t address = 0;
        if (!one.is_managed || (uint64_t)one.binary != binary)
            continue;
        if (invoke(call, (uint64_t[]){(uint64_t)&address, one.host}, 0, of))
            done = 0;
        else
            *(uint64_t *)one.host = address;
    }
    return done;
}

/* The functions of a library, whose symbols have a prefix. GET_SYMBOL_ADDRESS is the row of cudaGetSymbolAddress. */
#define PROGRAM_FUNCTIONS(prefix) \
    uint64_t prefix##__cudaRegisterFatBinary(const struct wrapper *a) { return register_binary(a); } \
    uint64_t prefix##__cudaUnregisterFatBinary(uint64_t a) { return TAGGED(unregister_binary(a)); } \
    uint64_t prefix##__cudaRegisterFunction(uint64_t a, uint64_t host, const char *device, const char *name) \
    { \
        (void)device; \
        return TAGGED(register_symbol(FUNCTION_ROW, a, host, name, 0)); \
    } \
    uint64_t prefix##__cudaRegisterVar(uint64_t a, uint64_t host, const char *device, const char *name) \
    { \
        (void)device; \
        return TAGGED(register_symbol(VARIABLE_ROW, a, host, name, 0)); \
    } \
    uint64_t prefix##__cudaRegisterManagedVar(uint64_t a, uint64_t host, const char *device, const char *name) \
    { \
        (void)device; \
        return TAGGED(register_symbol(VARIABLE_ROW, a, host, name, 1)); \
    } \
    uint64_t prefix##__cudaPushCallConfiguration(struct dimensions a, struct dimensions b, uint64_t c, uint64_t d) \
    { \
        return TAGGED(push_configuration(a, b, c, d)); \
    } \
    uint64_t prefix##__cudaPopCallConfiguration(struct dimensions *a, struct dimensions *b, uint64_t *c, uint64_t *d) \
    { \
        return TAGGED(pop_configuration(a, b, c, d)); \
    } \
    uint64_t prefix##__cudaGetKernel(uint64_t *a, uint64_t b) { return TAGGED(find_kernel(a, b)); } \
    uint64_t prefix##__cudaInitModule(uint64_t a) \
    { \
        return TAGGED(fill_managed(&calls[GET_SYMBOL_ADDRESS], a, __builtin_frame_address(0))); \
    }
