/* Lines of Python in a stack: what the interpreter's frames of the calling thread say.

   The bindings release the GIL before they call the driver. But a thread's frames are its own: they stay as they are until the
   driver has answered, and each holds its code. So they can be read without the GIL. Where their fields lie depends on the
   version of Python. With another version or build, a stack has no lines of Python. */

#define MOST_LINES 8
#define KIND 2 /* where the width of a text's characters lies in its state */
#define IS_COMPACT 32
#define IS_ASCII 64
#define OWNED_BY_C 3 /* a frame that stands for C code */

/* Where fields lie, in bytes. The code of a frame comes before or after other fields, and so on. */
static const struct python_layout {
    uint32_t version;
    uint8_t through, current; /* of a thread's state: what leads to the frame, or 0, and the frame */
    uint8_t code, at, outer, owner;
    uint8_t file, name, instructions; /* of code */
    uint8_t ascii, wide;              /* the characters of a text */
} layouts[] = {
    {0x030b, 56, 8, 32, 56, 48, 69, 112, 128, 184, 48, 72},
    {0x030c, 56, 0, 0, 56, 8, 70, 112, 128, 192, 40, 56},
    {0x030d, 0, 72, 0, 56, 8, 70, 112, 128, 200, 40, 56},
};

static struct {
    const struct python_layout *layout; /* NULL without a Python whose frames can be read */
    const char *(*state)(void);
    int (*line)(const char *code, int place);
    const void *code_type, *text_type;
    struct site at; /* the interpreter's code */
} python;

static const char *pointer_at(const char *object, size_t offset) { return *(const char *const *)(object + offset); }

/* Look for an interpreter in this process. */
static void find_python(void)
{
    const unsigned long *version = dlsym(RTLD_DEFAULT, "Py_Version");
    const char *type = dlsym(RTLD_DEFAULT, "PyType_Type");
    python.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
    python.text_type = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
    python.state = (const char *(*)(void))dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    python.line = (int (*)(const char *, int))dlsym(RTLD_DEFAULT, "PyCode_Addr2Line");
    if (!version || !type || !python.code_type || !python.text_type || !python.state || !python.line)
        return;
    if (pointer_at(python.code_type, 8) != type) /* objects of this build have another head */
        return;
    python.at.address = (uint64_t)python.line;
    if (!dl_iterate_phdr(find_site, &python.at))
        return;
    for (size_t place = 0; place < sizeof layouts / sizeof *layouts; place++)
        if (layouts[place].version == *version >> 16)
            python.layout = &layouts[place];
}

/* Write a text of Python as UTF-8, with a zero at its end; return its size, or 0 if it is no text or does not fit. */
static size_t write_text(char *to, size_t room, const char *text)
{
    if (text == NULL || pointer_at(text, 8) != python.text_type)
        return 0;
    uint64_t length = *(const uint64_t *)(text + 16), size = 0;
    uint32_t state = *(const uint32_t *)(text + 32);
    const char *first = text + (state & IS_ASCII ? python.layout->ascii : python.layout->wide);
    unsigned width = state >> KIND & 7;
    if (!(state & IS_COMPACT))
        return 0;
    for (uint64_t place = 0; place < length; place++) {
        uint32_t one = 0;
        memcpy(&one, first + place * width, width);
        if (size + 5 > room)
            return 0;
        if (one < 0x80)
            to[size++] = (char)(one < ' ' ? '?' : one);
        else if (one >> 7 == 0xDC80 >> 7) /* a byte of a path that is not UTF-8 */
            to[size++] = (char)one;
        else {
            int more = one < 0x800 ? 1 : one < 0x10000 ? 2 : 3;
            to[size++] = (char)(0xFF00 >> (more + 1) | one >> 6 * more);
            while (more--)
                to[size++] = (char)(0x80 | (one >> 6 * more & 0x3F));
        }
    }
    to[size] = 0;
    return size;
}

/* Write the lines of the thread's frames, the innermost first: `:LINE FILE<tab>FUNCTION`. Return the bytes; 0 without a frame. */
static size_t put_lines(char *to, size_t room)
{
    const struct python_layout *layout = python.layout;
    const char *frame = layout == NULL ? NULL : python.state();
    size_t size = 0;
    if (frame != NULL && layout->through)
        frame = pointer_at(frame, layout->through);
    if (frame != NULL)
        frame = pointer_at(frame, layout->current);
    for (int count = 0; frame != NULL && count < MOST_LINES; frame = pointer_at(frame, layout->outer)) {
        if ((uint8_t)frame[layout->owner] >= OWNED_BY_C)
            continue;
        char file[1024], name[256];
        const char *code = pointer_at(frame, layout->code);
        if (code == NULL || pointer_at(code, 8) != python.code_type)
            break;
        if (!write_text(file, sizeof file, pointer_at(code, layout->file)) || !write_text(name, sizeof name, pointer_at(code, layout->name)))
            break;
        int line = python.line(code, (int)(pointer_at(frame, layout->at) - (code + layout->instructions)));
        int added = snprintf(to + size, room - size, ":%d %s\t%s\n", line, file, name);
        if (added < 0 || (size_t)added >= room - size)
            break;
        size += (size_t)added;
        count++;
    }
    return size;
}
