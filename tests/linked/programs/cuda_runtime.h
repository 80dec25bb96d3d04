/* What the programs of the tests know of the runtime API: prototypes of the manual. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

typedef struct { char reserved[64]; } cudaIpcMemHandle_t;
struct cudaMemLocation { int type, id; };
struct cudaPointerAttributes { int type, device; void *devicePointer, *hostPointer; long reserved[8]; };
struct cudaExtent { size_t width, height, depth; };
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaChannelFormatDesc { int x, y, z, w, f; };
struct cudaMemsetParams { void *dst; size_t pitch; unsigned value, elementSize; size_t width, height; };
typedef struct { unsigned x, y, z; } dim3;

int cudaGetDeviceCount(int *);
int cudaSetDevice(int);
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaMalloc3D(struct cudaPitchedPtr *, struct cudaExtent);
int cudaMemset3D(struct cudaPitchedPtr, int, struct cudaExtent);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync_ptsz(void *, const void *, size_t, int, void *);
int cudaStreamSynchronize_ptsz(void *);
int cudaPointerGetAttributes(struct cudaPointerAttributes *, const void *);
int cudaStreamCreateWithFlags(void **, unsigned);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaMemsetAsync(void *, int, size_t, void *);
int cudaGraphAddMemsetNode(void **, void *, void *const *, size_t, const struct cudaMemsetParams *);
int cudaGraphAddMemcpyNode1D(void **, void *, void *const *, size_t, void *, const void *, size_t, int);
struct cudaGraphNodeParams {
    int type, reserved0[3];
    union {
        struct {
            unsigned long long handle;
            int type;
            unsigned size;
            void **graphs, *ctx;
        } conditional;
        struct {
            int type, handle_types, location, id;
            char others[72];
            void *descriptions;
            size_t description_count, size;
            void *memory;
        } alloc;
        char bytes[232];
    };
    long long reserved2;
};
#if EXPECTED_MAJOR == 12
#define cudaGraphAddNode cudaGraphAddNode_v2
#endif
int cudaGraphAddNode(void **, void *, void *const *, const void *, size_t, struct cudaGraphNodeParams *);
int cudaGraphCreate(void **, unsigned);
int cudaMemset(void *, int, size_t);
int cudaGraphConditionalHandleCreate(unsigned long long *, void *, unsigned, unsigned);
int cudaGraphInstantiate(void **, void *, unsigned long long);
int cudaGraphLaunch(void *, void *);
int cudaStreamSynchronize(void *);
int cudaMallocArray(void **, const struct cudaChannelFormatDesc *, size_t, size_t, unsigned);
int cudaArrayGetInfo(struct cudaChannelFormatDesc *, struct cudaExtent *, unsigned *, void *);
int cudaMemcpyToArray(void *, size_t, size_t, const void *, size_t, int);
int cudaMemcpy2DFromArray(void *, size_t, const void *, size_t, size_t, size_t, size_t, int);
int cudaFreeArray(void *);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
int cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *);
int cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned);
int cudaMallocHost(void **, size_t);
int cudaDriverGetVersion(int *);
int cudaRuntimeGetVersion(int *);
int cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long, int *);
const char *cudaGetErrorString(int);
const char *cudaGetErrorName(int);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, int);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);

/* What a compiler adds to a program. */
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaUnregisterFatBinary(void **);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
