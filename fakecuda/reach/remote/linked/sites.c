/* The place of a call in the program: the file of its code and an offset in it, for the owner's reports. */

#define LONGEST_PATH 1000
#define LARGEST_FRAME 4096

struct site {
    uint64_t address, offset, path;
};

static const char *const stub_libraries[] = {"libcuda.so", "libcudart.so", "libnvidia-ml.so"};

/* Return the site of an address, or NULL if its file is not known. */
static const struct site *site_of(uint64_t address)
{
    static __thread struct site known[32];
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

/* Return the site of a call, from the frame of the client's function. A stub in between has a frame, too. */
static const struct site *site_of_call(const uint64_t *frame)
{
    const struct site *site = site_of(frame[1] - 1);
    if (site == NULL || !is_a_stub(site))
        return site;
    uint64_t stub = frame[0]; /* of another library of that name it may be anything */
    int lies_above = stub % 8 == 0 && stub > (uint64_t)frame && stub - (uint64_t)frame < LARGEST_FRAME;
    return lies_above ? site_of(((const uint64_t *)stub)[1] - 1) : NULL;
}

/* Append the places of a call: its site, if it is known. */
static void put_places(struct bytes *to, const struct site *site)
{
    put_array(to, site != NULL);
    if (site == NULL)
        return;
    put_array(to, 3);
    put_text(to, (const char *)site->path);
    put_unsigned(to, site->offset);
    put_nothing(to);
}
