// SPDX-License-Identifier: Apache-2.0
#include "format/verify_checksum.h"

#include "format/colibri_layout.h"
#include "format/tensor_convert.h"

namespace colibri {

Result<void> verifyChecksum(const ModelSource& source, const TensorInfo& tensor, const std::stop_token& stop)
{
    if (!tensor.xxh64)
        return {};
    const MappedFile& file = *source.files[tensor.file];
    Hash hash;
    const ByteSink sink = [&](std::span<const std::byte> bytes) -> Result<void> {
        hash.add(bytes);
        return {};
    };
    if (auto done = passBytes(file.bytes().subspan(tensor.offset, tensor.size), sink, stop); !done)
        return done;
    if (hash.value() == *tensor.xxh64)
        return {};
    return Error{Errc::Mismatch, "verify a checksum", file.path(), tensor.offset,
        "the bytes of " + tensor.name + " have XXH64 " + checksumText(hash.value()) + ", the model says "
            + checksumText(*tensor.xxh64)};
}

} // namespace colibri
