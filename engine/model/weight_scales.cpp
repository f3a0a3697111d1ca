// SPDX-License-Identifier: Apache-2.0
#include "model/weight_scales.h"

#include "format/tensor_list.h"
#include "types/checked.h"
#include "types/half.h"

#include <cmath>
#include <cstring>

namespace colibri {
namespace {

float valueAt(const std::byte* data, DType dtype, std::size_t i)
{
    if (dtype == DType::F32) {
        float value = 0;
        std::memcpy(&value, data + i * sizeof value, sizeof value);
        return value;
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, data + i * sizeof bits, sizeof bits);
    return dtype == DType::F16 ? f16ToF32(bits) : bf16ToF32(bits);
}

/// Where the scales of one matrix are in their tensor.
struct ScalePlace {
    ScaleGrid grid;
    std::uint64_t first = 0;
    std::uint64_t count = 1;
};

class ScaleBinder {
public:
    ScaleBinder(LoadedModel& model, const FoundTensor& found, std::uint32_t expert)
        : m_model(model)
        , m_found(found)
        , m_expert(expert)
    {
        std::span<const std::uint64_t> shape = found.stored->shape;
        shape = found.stacked ? shape.subspan(1) : shape;
        m_cols = shape.empty() ? 1 : shape.back();
        m_rows = shape.empty() ? 1 : *checkedProduct(shape.first(shape.size() - 1)); // the reader saw that it fits
    }

    Result<WeightScales> bind()
    {
        const TensorInfo& weights = *m_found.stored;
        const bool f8 = weights.dtype == DType::F8_E4M3 || weights.dtype == DType::F8_E5M2;
        const auto all = scalesOf(m_model.source, weights);
        if (all.empty() && f8 && !m_model.config.scaledBy.empty())
            return fail(Errc::Mismatch, weights,
                "the configuration says that its weights are scaled (" + m_model.config.scaledBy
                    + "), the model has neither " + weights.name + "_scale_inv nor " + weights.name + "_scale");
        if (all.empty())
            return WeightScales{};
        if (!f8)
            return fail(Errc::Unsupported, weights,
                "it is scaled by tensor " + all.front()->name
                    + ", this version computes scales of f8_e4m3 and f8_e5m2, " + "its dtype is "
                    + std::string(typeName(weights)));
        if (all.size() > 1)
            return fail(Errc::Mismatch, weights,
                "both " + all[0]->name + " and " + all[1]->name + " scale it, one of them has to");
        if (m_found.part.layout != Layout::RowMajor || m_found.scattered())
            return fail(Errc::Unsupported, weights,
                "it is scaled by tensor " + all.front()->name
                    + " and stored with rows and columns in turn, this version computes scales of rows side by side");
        return read(*all.front());
    }

private:
    Error fail(Errc code, const TensorInfo& tensor, std::string why) const
    {
        return Error{code, "bind tensor " + tensor.name, m_model.source.files[tensor.file]->path(), tensor.offset,
            std::move(why)};
    }

    Result<WeightScales> read(const TensorInfo& scales)
    {
        if (scales.dtype != DType::F32 && scales.dtype != DType::F16 && scales.dtype != DType::BF16)
            return fail(Errc::Unsupported, scales,
                "its dtype is " + std::string(typeName(scales))
                    + ", this version computes scales of f32, f16 and bf16");
        const auto place = placeIn(scales);
        if (!place)
            return place.error();
        const std::size_t size = elementBytes(scales.dtype);
        const std::byte* const data =
            m_model.source.files[scales.file]->bytes().data() + scales.offset + place->first * size;
        for (std::size_t i = 0; i < place->count; ++i)
            if (const float value = valueAt(data, scales.dtype, i); !std::isfinite(value))
                return fail(Errc::OutOfRange, scales,
                    "its value " + std::to_string(place->first + i) + " is " + std::to_string(value)
                        + ", a scale has to be finite");
        if (scales.dtype == DType::F32 && reinterpret_cast<std::uintptr_t>(data) % sizeof(float) == 0)
            return WeightScales{reinterpret_cast<const float*>(data), place->grid};
        float* const copy = new (m_model.copied.take(place->count * sizeof(float)).data()) float[place->count];
        for (std::size_t i = 0; i < place->count; ++i)
            copy[i] = valueAt(data, scales.dtype, i);
        return WeightScales{copy, place->grid};
    }

    Result<ScalePlace> placeIn(const TensorInfo& scales) const
    {
        const ModelConfig& c = m_model.config;
        const auto narrow = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
        const auto above = narrow(m_found.take == Take::SecondRows ? m_rows / 2 : 0);
        std::span<const std::uint64_t> shape = scales.shape;
        if (!c.scaleBlockRows && *checkedProduct(shape) == 1)
            return ScalePlace{{narrow(m_rows), narrow(m_cols), above}};
        const bool every = !m_found.stacked || (!shape.empty() && shape.front() == m_found.stored->shape.front());
        shape = m_found.stacked && every ? shape.subspan(1) : shape;
        const auto each = [&](ScaleGrid grid) {
            const std::uint64_t count =
                (m_rows + grid.blockRows - 1) / grid.blockRows * ((m_cols + grid.blockCols - 1) / grid.blockCols);
            return ScalePlace{grid, m_found.stacked ? count * m_expert : 0, count};
        };
        if (c.scaleBlockRows) {
            const std::uint64_t wanted[]{
                (m_rows + c.scaleBlockRows - 1) / c.scaleBlockRows, (m_cols + c.scaleBlockCols - 1) / c.scaleBlockCols};
            return every && std::ranges::equal(shape, wanted)
                ? Result(each({c.scaleBlockRows, c.scaleBlockCols, above}))
                : wrongShape(scales, shapeText(wanted));
        }
        if (every && *checkedProduct(shape) == 1)
            return each({narrow(m_rows), narrow(m_cols), above});
        const bool column = shape.size() == 1 || (shape.size() == 2 && shape.back() == 1);
        if (every && column && shape.front() == m_rows)
            return each({1, narrow(m_cols), above});
        return wrongShape(
            scales, "[1] or [" + std::to_string(m_rows) + ", 1], since the configuration states no weight_block_size");
    }

    Error wrongShape(const TensorInfo& scales, const std::string& wanted) const
    {
        const ModelConfig& c = m_model.config;
        return fail(Errc::Mismatch, scales,
            "its shape is " + shapeText(scales.shape) + ", "
                + (m_found.stacked ? std::to_string(m_found.stored->shape.front()) + " experts of " : "")
                + std::to_string(m_rows) + " x " + std::to_string(m_cols) + " weights"
                + (c.scaleBlockRows ? " in blocks of " + std::to_string(c.scaleBlockRows) + " x "
                            + std::to_string(c.scaleBlockCols) + " (" + c.scaledBy + ")"
                                    : "")
                + " need " + (m_found.stacked ? "for each " : "") + wanted);
    }

    LoadedModel& m_model;
    const FoundTensor& m_found;
    std::uint32_t m_expert;
    std::uint64_t m_rows; ///< of the matrix that is stored, of one expert
    std::uint64_t m_cols;
};

} // namespace

Result<WeightScales> bindScales(LoadedModel& model, const FoundTensor& found, std::uint32_t expert)
{
    return ScaleBinder(model, found, expert).bind();
}

} // namespace colibri
