/* cuGetExportTable: it returns private tables, which fakecuda does not have. The message names the file that asks for one. */

#define MOST_ASKING 32

static const uint8_t runtime_tables[][TABLE_ID_SIZE] = RUNTIME_TABLES;

static int is_of_the_runtime(const uint8_t *table)
{
    for (size_t place = 0; table != NULL && place < sizeof runtime_tables / sizeof *runtime_tables; place++)
        if (!memcmp(runtime_tables[place], table, TABLE_ID_SIZE))
            return 1;
    return 0;
}

/* Return the file of the code that called the client's function with a frame. */
static const char *file_of_caller(const void *frame)
{
    struct stack stack = {.unloads = count_unloads()};
    walk_from(&stack, frame);
    name_places(&stack);
    for (int number = 0; number < stack.count; number++)
        if (stack.places[number].path)
            return (const char *)stack.places[number].path;
    return UNKNOWN_CALLER;
}

uint64_t fakecuda_c_cuGetExportTable(uint64_t result, uint64_t table)
{
    static const char *told[MOST_ASKING]; /* paths are kept, so that equal ones have one address */
    const char *file = file_of_caller(__builtin_frame_address(0)), *name = strrchr(file, '/');
    int of_runtime = is_of_the_runtime((const uint8_t *)table);
    int is_shared = name != NULL && !strncmp(name + 1, RUNTIME_FILE, sizeof RUNTIME_FILE - 1);
    (void)result;
    for (int place = 0; place < MOST_ASKING; place++) {
        if (told[place] == file)
            break;
        if (told[place] != NULL)
            continue;
        told[place] = file;
        fprintf(stderr, "fakecuda: " EXPORT_TABLE_REFUSED "; ");
        fprintf(stderr, !of_runtime ? OTHER_ASKS : is_shared ? SHARED_ASKS : strstr(file, BINDINGS_FOLDER) ? BINDINGS_ASK : STATIC_ASKS, file);
        fprintf(stderr, "\n");
        break;
    }
    return TAGGED(NOT_SUPPORTED);
}
