// A call of XLA of a function of mlc, by XLA's interface for foreign functions: XLA has made the results' memory.
//
// Its attributes, in the order of their names, are the addresses of the function and how much workspace it takes.

#include <stdint.h>
#include <stdlib.h>

#include "xla/ffi/api/c_api.h"

typedef int32_t (*mlc_function)(const void *const *inputs, void *const *outputs, void *workspace);

static int64_t attribute(const XLA_FFI_CallFrame *frame, int index) {
  return *(const int64_t *)((const XLA_FFI_Scalar *)frame->attrs.attrs[index])->value;
}

static XLA_FFI_Error *failure(const XLA_FFI_CallFrame *frame, const char *message) {
  XLA_FFI_Error_Create_Args args = {0};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message;
  args.errc = XLA_FFI_Error_Code_INTERNAL;
  return frame->api->XLA_FFI_Error_Create(&args);
}

XLA_FFI_Error *mlc_xla_call(XLA_FFI_CallFrame *frame) {
  XLA_FFI_Extension_Base *extension = frame->extension_start;
  if (extension != NULL && extension->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *)extension)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    return NULL;
  }
  const int64_t inputs = frame->args.size, outputs = frame->rets.size;
  const size_t bytes = ((size_t)attribute(frame, 1) + 63) / 64 * 64;
  void **pointers = malloc((size_t)(inputs + outputs) * sizeof(void *));
  void *workspace = bytes ? aligned_alloc(64, bytes) : NULL;
  XLA_FFI_Error *error = NULL;
  if (pointers == NULL || (bytes && workspace == NULL)) {
    error = failure(frame, "there is no memory for the workspace");
  } else {
    for (int64_t i = 0; i < inputs; ++i) pointers[i] = ((XLA_FFI_Buffer *)frame->args.args[i])->data;
    for (int64_t i = 0; i < outputs; ++i) pointers[inputs + i] = ((XLA_FFI_Buffer *)frame->rets.rets[i])->data;
    const mlc_function function = (mlc_function)(intptr_t)attribute(frame, 0);
    if (function((const void *const *)pointers, pointers + inputs, workspace) != 0)
      error = failure(frame, "the function failed");
  }
  free(workspace);
  free(pointers);
  return error;
}
