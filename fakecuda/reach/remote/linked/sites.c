/* The places of a call in the program, the innermost first: the file of its code and an offset in it, for the owner's reports.

   The unwinder finds them by the tables that compilers write for each function. It takes some microseconds, so what it found is
   kept with the words of the stack that prove it: the return addresses. While they are the same, nothing is unwound, and the
   owner gets the number of what it knows already. */

#define LONGEST_PATH 1000
#define LARGEST_FRAME 4096
#define LARGEST_SEARCH 512 /* how many words of a frame are searched for a return address */
#define ENTRY_SIZE 64      /* of the code at which a program begins */

/* A frame of the program: where its return address lies, and what code that is of. */
struct place {
    const uint64_t *at;
    uint64_t address, path, offset;
};

/* The stack of a call. The owner knows it if it was sent. */
struct stack {
    uint64_t frame, unloads;
    int sent, count;
    struct place places[MOST_PLACES];
};

struct site {
    uint64_t address, offset, path;
};

typedef _Unwind_Reason_Code (*trace)(struct _Unwind_Context *, void *);

static struct unwinder {
    _Unwind_Reason_Code (*backtrace)(trace, void *);
    uint64_t (*address)(struct _Unwind_Context *), (*start)(struct _Unwind_Context *);
} unwinder;

static const char *const stub_libraries[] = {"libcuda.so", "libcudart.so", "libnvidia-ml.so"};

static int read_unloads(struct dl_phdr_info *info, size_t size, void *count)
{
    *(uint64_t *)count = size > offsetof(struct dl_phdr_info, dlpi_subs) ? info->dlpi_subs : 0;
    return 1;
}

/* Return how many objects were unloaded from the process. Others may lie at their addresses now. */
static uint64_t count_unloads(void)
{
    uint64_t count = 0;
    dl_iterate_phdr(read_unloads, &count);
    return count;
}

/* Return the site of an address, or NULL if its file is not known. */
static const struct site *site_of(uint64_t address, uint64_t unloads)
{
    static __thread struct site known[32];
    static __thread uint64_t known_at;
    if (known_at != unloads)
        memset(known, 0, sizeof known);
    known_at = unloads;
    struct site *site = &known[address / 4 % 32];
    if (site->address == address && site->path)
        return site;
    Dl_info info;
    struct link_map *object = NULL;
    char path[4096] = "";
    if (!dladdr1((const void *)address, &info, (void **)&object, RTLD_DL_LINKMAP) || object == NULL)
        return NULL;
    if (!*object->l_name && readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        return NULL;
    if (*object->l_name && realpath(object->l_name, path) == NULL)
        return NULL;
    if (strlen(path) > LONGEST_PATH)
        return NULL; /* the owner refuses a longer one */
    *site = (struct site){address, address - object->l_addr, keep_text((struct item){.bytes = (void *)path, .size = strlen(path)})};
    return site->path ? site : NULL;
}

static int is_a_stub(const struct site *site)
{
    const char *name = strrchr((const char *)site->path, '/');
    for (size_t place = 0; name != NULL && place < sizeof stub_libraries / sizeof *stub_libraries; place++)
        if (!strncmp(name + 1, stub_libraries[place], strlen(stub_libraries[place])))
            return 1;
    return 0;
}

/* Add a return address to a stack; return whether there may be more. */
static int add(struct stack *to, uint64_t address, const uint64_t *at)
{
    if (!address || address - getauxval(AT_ENTRY) < ENTRY_SIZE || to->count == MOST_PLACES)
        return 0;
    to->places[to->count++] = (struct place){.at = at, .address = address};
    return 1;
}

/* A walk over the frames: the stack, the client's function, and where the last frame began. */
struct walk {
    struct stack *stack;
    uint64_t frame, start;
    int proven;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *one)
{
    struct walk *walk = one;
    uint64_t address = unwinder.address(context), end = unwinder.start(context);
    if (end <= walk->frame)
        return _URC_NO_REASON; /* a function of the client */
    const uint64_t *at = (const uint64_t *)end - 1, *first = (const uint64_t *)walk->start;
    if (at - first > LARGEST_SEARCH)
        first = at - LARGEST_SEARCH;
    while (at >= first && *at != address)
        at--;
    walk->proven &= at >= first; /* else it is signed, for instance */
    walk->start = end;
    return add(walk->stack, address, at) ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/* Find the unwinder. This takes the dynamic loader's lock, so the caller holds no other one. */
static int can_unwind(void)
{
    static int looked;
    if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
        void *library = dlopen("libgcc_s.so.1", RTLD_LAZY);
        struct unwinder found = {0};
        if (library != NULL) {
            found.address = (uint64_t (*)(struct _Unwind_Context *))dlsym(library, "_Unwind_GetIP");
            found.start = (uint64_t (*)(struct _Unwind_Context *))dlsym(library, "_Unwind_GetCFA");
            found.backtrace = (_Unwind_Reason_Code (*)(trace, void *))dlsym(library, "_Unwind_Backtrace");
        }
        unwinder = found;
        __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
    }
    return unwinder.address && unwinder.start && unwinder.backtrace;
}

/* Find the return addresses above the frame of the client's function; return whether the words of the stack prove them. */
static int walk_from(struct stack *to, const uint64_t *frame)
{
    if (can_unwind()) {
        struct walk walk = {to, (uint64_t)frame, (uint64_t)frame, 1};
        unwinder.backtrace(step, &walk);
        if (to->count)
            return walk.proven;
    }
    add(to, frame[1], frame + 1);
    const struct site *site = site_of(frame[1] - 1, to->unloads);
    uint64_t stub = frame[0]; /* of another library of that name it may be anything */
    if (site != NULL && is_a_stub(site) && stub % 8 == 0 && stub > (uint64_t)frame && stub - (uint64_t)frame < LARGEST_FRAME)
        add(to, ((const uint64_t *)stub)[1], (const uint64_t *)stub + 1);
    return 1;
}

/* Leave only the places that are known, and no stub. */
static void name_places(struct stack *stack)
{
    for (int number = 0; number < stack->count; number++) {
        struct place *place = &stack->places[number];
        const struct site *site = site_of(place->address - 1, stack->unloads);
        if (site != NULL && !is_a_stub(site)) {
            place->path = site->path;
            place->offset = site->offset;
        }
    }
}

static int is_proven(const struct stack *stack)
{
    for (int number = 0; number < stack->count; number++)
        if (*stack->places[number].at != stack->places[number].address)
            return 0;
    return 1;
}

/* Return the stack of a call, from the frame of the client's function, among those of the thread. */
static struct stack *stack_of_call(struct stack *known, const uint64_t *frame)
{
    static int64_t stub_words; /* from the client's frame to the return address of the stub, which tells calls apart */
    int64_t words = __atomic_load_n(&stub_words, __ATOMIC_RELAXED);
    uint64_t unloads = count_unloads(), mixed = ((uint64_t)frame + frame[words]) * 0x9E3779B97F4A7C15;
    struct stack *stack = &known[(mixed >> 32) % MOST_STACKS];
    if (stack->frame == (uint64_t)frame && stack->unloads == unloads && is_proven(stack))
        return stack;
    *stack = (struct stack){.unloads = unloads};
    int proven = walk_from(stack, frame);
    name_places(stack);
    if (proven && !no_room) /* else the next call looks again */
        stack->frame = (uint64_t)frame;
    if (proven && stack->count > 1 && !stack->places[0].path)
        __atomic_store_n(&stub_words, stack->places[1].at - frame, __ATOMIC_RELAXED);
    return stack;
}

/* Append the places of a call that are known. */
static void put_places(struct bytes *to, const struct stack *stack)
{
    size_t count = 0;
    for (int number = 0; number < stack->count; number++)
        count += stack->places[number].path != 0;
    put_array(to, count);
    for (int number = 0; number < stack->count; number++) {
        const struct place *place = &stack->places[number];
        if (!place->path)
            continue;
        put_array(to, 3);
        put_text(to, (const char *)place->path);
        put_unsigned(to, place->offset);
        put_nothing(to);
    }
}

/* Append the number of a stack, and its places if the owner does not know them. */
static void put_stack(struct bytes *to, const struct stack *known, const struct stack *stack)
{
    if (!stack->sent)
        put_array(to, 2);
    put_unsigned(to, (uint64_t)(stack - known));
    if (!stack->sent)
        put_places(to, stack);
}
