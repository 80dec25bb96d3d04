/* The program of moment.c, which also asks for what the client itself has memory for: texts, arrays, graphs of a node. */

#define main others
#include "moment.c"
#undef main

int main(void)
{
    uintptr_t context, graph, condition, node, stream, memory, captured, id, *nodes, *edges;
    uintptr_t count = 0;
    const char *name = NULL;
    int status = 0;
    struct { int type, unused[3]; uintptr_t handle; int kind; unsigned size; uintptr_t *graphs, context; char rest[208]; } told = {.type = 13};
    setvbuf(stdout, NULL, _IONBF, 0);
    library = dlopen("libcuda.so.1", RTLD_NOW);
    HOLDS(library != NULL);
    CALL(cuInit, 0);
    CALL(cuGetErrorName, 1, A(&name));
    HOLDS(!strcmp(name, "CUDA_ERROR_INVALID_VALUE"));
    CALL(cuDevicePrimaryCtxRetain, A(&context), A(0));
    CALL(cuCtxSetCurrent, context);
    CALL(cuGraphCreate, A(&graph), A(0));
    CALL(cuGraphConditionalHandleCreate, A(&condition), graph, context, A(0), A(0));
    told.handle = condition;
    told.size = 1;
    told.context = context;
    CALL(cuGraphAddNode_v2, A(&node), graph, A(NULL), A(NULL), A(0), A(&told));
    HOLDS(told.graphs != NULL && told.graphs[0]);
    CALL(cuMemAlloc_v2, A(&memory), A(4096));
    CALL(cuStreamCreate, A(&stream), A(1));
    CALL(cuStreamBeginCapture_v2, stream, A(2));
    CALL(cuMemsetD8Async, memory, A(0), A(4096), stream);
    CALL(cuStreamGetCaptureInfo_v3, stream, A(&status), A(&id), A(&captured), A(&nodes), A(&edges), A(&count));
    HOLDS(count == 1 && nodes[0]);
    CALL(cuStreamEndCapture, stream, A(&captured));
    return others();
}
