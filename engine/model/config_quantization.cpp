// SPDX-License-Identifier: Apache-2.0
// What a folder's quantization_config says of the scales of its weights of f8.
#include "model/config_keys.h"

namespace colibri {
namespace {

constexpr std::uint64_t blockLimit = 1u << 30;

class QuantizationReader {
public:
    QuantizationReader(ConfigKeys& keys, ModelConfig& config)
        : m_keys(keys)
        , m_config(config)
    {
    }

    Result<void> read()
    {
        std::string method;
        const auto stated = m_keys.text({"quantization_config.quant_method", {}, {}}, method);
        if (!stated)
            return stated.error();
        if (!*stated)
            return {};
        m_config.scaledBy = stated->key + " " + method;
        m_keys.note("quantization.method", method, *stated);
        if (auto done = blocks(m_keys.findExactly("quantization_config.weight_block_size")); !done)
            return done;
        return groups();
    }

private:
    /// compressed-tensors says it for groups of layers, which the shapes of the scales tell apart but for their blocks.
    Result<void> groups()
    {
        const FoundKey found = m_keys.findExactly("quantization_config.config_groups");
        const JsonValue::Object* const all = found ? found.value->object() : nullptr;
        if (!all)
            return {};
        for (const auto& [name, group] : *all) {
            const JsonValue* const weights = group.find("weights");
            const JsonValue* const size = weights ? weights->find("block_structure") : nullptr;
            if (size && !size->isNull())
                if (auto done = blocks({size, found.key + "." + name + ".weights.block_structure"}); !done)
                    return done;
        }
        return {};
    }

    /// [rows, columns].
    Result<void> blocks(const FoundKey& found)
    {
        if (!found)
            return {};
        const JsonValue::Array* const sizes = found.value->array();
        std::uint32_t extents[2]{};
        for (std::size_t i = 0; sizes && sizes->size() == 2 && i < 2; ++i)
            if (const auto extent = (*sizes)[i].unsignedInteger(); extent && *extent <= blockLimit)
                extents[i] = static_cast<std::uint32_t>(*extent);
        if (extents[0] == 0 || extents[1] == 0)
            return m_keys.refuse(found, "two integers from 1 to " + std::to_string(blockLimit));
        const std::string text = std::to_string(extents[0]) + " x " + std::to_string(extents[1]);
        if (m_config.scaleBlockRows && (m_config.scaleBlockRows != extents[0] || m_config.scaleBlockCols != extents[1]))
            return m_keys.fail(Errc::Unsupported, found.value,
                found.key + " is " + text + " where other weights have blocks of "
                    + std::to_string(m_config.scaleBlockRows) + " x " + std::to_string(m_config.scaleBlockCols)
                    + ", this version computes one size of blocks");
        m_config.scaleBlockRows = extents[0];
        m_config.scaleBlockCols = extents[1];
        m_config.scaledBy = found.key;
        m_keys.note("quantization.blocks", text, found);
        return {};
    }

    ConfigKeys& m_keys;
    ModelConfig& m_config;
};

} // namespace

Result<void> readQuantization(ConfigKeys& keys, ModelConfig& config)
{
    return QuantizationReader(keys, config).read();
}

} // namespace colibri
