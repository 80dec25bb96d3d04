/* What a statically linked CUDA runtime asks the driver for at its first call: a private table, by its id in hexadecimal. */
#include <stdio.h>

int cuGetExportTable(const void **, const void *);

int ask(const char *id)
{
    unsigned char table[16];
    const void *found = NULL;
    for (int place = 0; place < 16; place++)
        sscanf(id + 2 * place, "%2hhx", table + place);
    return cuGetExportTable(&found, table);
}

int main(int count, char **arguments)
{
    for (int place = 1; place < count; place++)
        printf("%d\n", ask(arguments[place]));
    return 0;
}
