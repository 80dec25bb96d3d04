/* Plain values in MessagePack: numbers, bytes, text, nothing, and arrays of these. */

struct bytes {
    uint8_t *at;
    size_t size, room;
    int lost; /* whether there was no memory for what follows: such a frame is not sent */
};

struct cursor {
    const uint8_t *at, *end;
};

enum kind { NOTHING, NUMBER, REAL, BYTES, TEXT, ARRAY, BROKEN };

/* A value in a frame. An array has only its number of members, which follow it. */
struct item {
    enum kind kind;
    uint64_t number;
    double real;
    const uint8_t *bytes;
    size_t size;
};

/* Append bytes; zeros from nowhere. */
static void append(struct bytes *to, const void *from, size_t size)
{
    size_t wanted = 2 * (to->size + size) + 256;
    if (!to->lost && to->size + size > to->room) {
        uint8_t *more = room(to->at, wanted);
        to->lost = more == NULL;
        to->at = more == NULL ? to->at : more;
        to->room = more == NULL ? to->room : wanted;
    }
    if (to->lost || !size)
        return;
    if (from == NULL)
        memset(to->at + to->size, 0, size);
    else
        memcpy(to->at + to->size, from, size);
    to->size += size;
}

/* Append what another one has. */
static void append_all(struct bytes *to, const struct bytes *from)
{
    append(to, from->at, from->size);
    to->lost |= from->lost;
}

static void put_head(struct bytes *to, uint8_t head, uint64_t value, int width)
{
    uint8_t text[9] = {head};
    for (int place = 0; place < width; place++)
        text[1 + place] = (uint8_t)(value >> 8 * (width - 1 - place));
    append(to, text, 1 + (size_t)width);
}

static void put_nothing(struct bytes *to) { put_head(to, 0xC0, 0, 0); }

static void put_unsigned(struct bytes *to, uint64_t value)
{
    if (value < 0x80)
        put_head(to, (uint8_t)value, 0, 0);
    else
        put_head(to, 0xCF, value, 8);
}

static void put_signed(struct bytes *to, int64_t value)
{
    if (value >= 0)
        put_unsigned(to, (uint64_t)value);
    else
        put_head(to, 0xD3, (uint64_t)value, 8);
}

static void put_real(struct bytes *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    put_head(to, 0xCB, bits, 8);
}

static void put_bytes(struct bytes *to, const void *bytes, size_t size)
{
    put_head(to, 0xC6, size, 4);
    append(to, bytes, size);
}

static void put_text(struct bytes *to, const char *text)
{
    put_head(to, 0xDB, strlen(text), 4);
    append(to, text, strlen(text));
}

static void put_array(struct bytes *to, size_t members) { put_head(to, 0xDD, members, 4); }

static uint64_t big_endian(struct cursor *from, int width)
{
    uint64_t value = 0;
    for (int place = 0; place < width; place++)
        value = value << 8 | (from->at < from->end ? *from->at++ : 0);
    return value;
}

static struct item chunk(struct cursor *from, enum kind kind, uint64_t size)
{
    if (size > (uint64_t)(from->end - from->at))
        return (struct item){.kind = BROKEN};
    struct item found = {.kind = kind, .bytes = from->at, .size = size};
    from->at += size;
    return found;
}

static struct item number(uint64_t value) { return (struct item){.kind = NUMBER, .number = value}; }

/* Return the next value of a frame. */
static struct item next(struct cursor *from)
{
    if (from->at >= from->end)
        return (struct item){.kind = BROKEN};
    uint8_t head = *from->at++;
    if (head < 0x80)
        return number(head);
    if (head >= 0xE0)
        return number((uint64_t)(int64_t)(int8_t)head);
    if (head >= 0xA0 && head < 0xC0)
        return chunk(from, TEXT, head & 0x1F);
    if (head >= 0x90 && head < 0xA0)
        return (struct item){.kind = ARRAY, .size = head & 0x0F};
    uint64_t bits;
    struct item found = {.kind = REAL};
    switch (head) {
    case 0xC0:
        return (struct item){.kind = NOTHING};
    case 0xC2:
    case 0xC3:
        return number(head & 1);
    case 0xC4:
    case 0xC5:
    case 0xC6:
        return chunk(from, BYTES, big_endian(from, 1 << (head - 0xC4)));
    case 0xCB:
        bits = big_endian(from, 8);
        memcpy(&found.real, &bits, 8);
        return found;
    case 0xCC:
    case 0xCD:
    case 0xCE:
    case 0xCF:
        return number(big_endian(from, 1 << (head - 0xCC)));
    case 0xD0:
        return number((uint64_t)(int64_t)(int8_t)big_endian(from, 1));
    case 0xD1:
        return number((uint64_t)(int64_t)(int16_t)big_endian(from, 2));
    case 0xD2:
        return number((uint64_t)(int64_t)(int32_t)big_endian(from, 4));
    case 0xD3:
        return number(big_endian(from, 8));
    case 0xD9:
    case 0xDA:
    case 0xDB:
        return chunk(from, TEXT, big_endian(from, 1 << (head - 0xD9)));
    case 0xDC:
    case 0xDD:
        return (struct item){.kind = ARRAY, .size = big_endian(from, 2 << (head - 0xDC))};
    default:
        return (struct item){.kind = BROKEN};
    }
}

/* Skip a value, with all its members. */
static void skip(struct cursor *from)
{
    for (size_t left = 1; left; left--) {
        struct item item = next(from);
        if (item.kind == BROKEN)
            return;
        if (item.kind == ARRAY)
            left += item.size;
    }
}

/* A shape is the layout of a plain value in memory. Numbers have the codes of Python's struct module. 4x stands for 4 bytes of
   padding, 4k for 4 bytes that are not overwritten. 64s stands for 64 bytes, 256z for bytes up to the first zero, 256t for the
   same without writing behind the zero. Parentheses enclose the members of an array. */

static unsigned amount(const char **shape) { return (unsigned)read_number(shape); }

static unsigned width_of(char code)
{
    return code == 'b' || code == 'B' ? 1 : code == 'H' ? 2 : code == 'q' || code == 'Q' || code == 'd' ? 8 : 4;
}

static unsigned size_of(const char *shape)
{
    unsigned size = 0;
    while (*shape) {
        unsigned count = amount(&shape);
        char code = *shape++;
        if (code == 'x' || code == 'k' || code == 's' || code == 'z' || code == 't')
            size += count;
        else if (code != '(' && code != ')')
            size += width_of(code);
    }
    return size;
}

static size_t members_of(const char *shape)
{
    size_t members = 0, depth = 0;
    while (*shape) {
        amount(&shape);
        char code = *shape++;
        if (code == ')') {
            if (depth-- == 0)
                break;
            continue;
        }
        members += depth == 0 && code != 'x' && code != 'k';
        depth += code == '(';
    }
    return members;
}

/* Append the values at an address, up to the end of the shape or of the array; return the address behind them. */
static const uint8_t *load_shape(struct bytes *to, const char **shape, const uint8_t *at)
{
    while (**shape && **shape != ')') {
        unsigned count = amount(shape);
        char code = *(*shape)++;
        int64_t wide = 0;
        float real;
        switch (code) {
        case '(':
            put_array(to, members_of(*shape));
            at = load_shape(to, shape, at);
            (*shape)++;
            continue;
        case 'z':
        case 't':
            put_bytes(to, at, strnlen((const char *)at, count));
            at += count;
            continue;
        case 's':
            put_bytes(to, at, count);
            at += count;
            continue;
        case 'x':
        case 'k':
            at += count;
            continue;
        case 'd':
            memcpy(&wide, at, 8);
            put_head(to, 0xCB, (uint64_t)wide, 8);
            break;
        case 'f':
            memcpy(&real, at, 4);
            put_real(to, real);
            break;
        case 'b':
            put_signed(to, (int8_t)*at);
            break;
        case 'i':
            put_signed(to, *(const int32_t *)at);
            break;
        case 'q':
            put_signed(to, *(const int64_t *)at);
            break;
        default:
            memcpy(&wide, at, width_of(code));
            put_unsigned(to, (uint64_t)wide);
        }
        at += width_of(code);
    }
    return at;
}

static void load(struct bytes *to, const char *shape, uint64_t at) { load_shape(to, &shape, (const uint8_t *)at); }

/* Write values of a frame to an address, up to a number of values; return the address behind them. An older struct has fewer
   values than the shape; its missing members are not written. */
static uint8_t *store_shape(struct cursor *from, const char **shape, uint8_t *at, size_t values)
{
    while (**shape && **shape != ')') {
        unsigned count = amount(shape);
        char code = *(*shape)++;
        if (code == 'x' || code == 'k') {
            if (code == 'x')
                memset(at, 0, count);
            at += count;
            continue;
        }
        struct item item = {.kind = BROKEN};
        if (values) {
            values--;
            item = next(from);
        }
        int is_there = item.kind != BROKEN && item.kind != NOTHING;
        if (code == '(') {
            at = store_shape(from, shape, at, is_there ? item.size : 0);
            (*shape)++;
        } else if (code == 's' || code == 'z' || code == 't') {
            size_t size = item.size < count ? item.size : count;
            if (is_there) {
                memcpy(at, item.bytes, size);
                memset(at + size, 0, code == 't' ? size < count : count - size);
            }
            at += count;
        } else {
            double wide = item.kind == REAL ? item.real : (double)(int64_t)item.number;
            float real = (float)wide;
            void *value = code == 'd' ? (void *)&wide : code == 'f' ? (void *)&real : (void *)&item.number;
            if (is_there)
                memcpy(at, value, width_of(code));
            at += width_of(code);
        }
    }
    return at;
}

/* Write one value. Bytes are a struct in its layout in C. */
static void store(struct cursor *from, const char *shape, uint64_t at)
{
    struct cursor copy = *from;
    struct item item = next(&copy);
    if (*shape == '(' && item.kind == BYTES) {
        memcpy((void *)at, item.bytes, item.size);
        *from = copy;
        return;
    }
    store_shape(from, &shape, (uint8_t *)at, 1);
}
