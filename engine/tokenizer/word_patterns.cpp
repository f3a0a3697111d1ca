// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/word_patterns.h"

#include <algorithm>
#include <span>

namespace colibri {

namespace {

// The patterns stand in the tokenizer.json of these families.

constexpr std::string_view qwen2 = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}"
                                   "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
constexpr std::string_view llama3 = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}"
                                    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
constexpr std::string_view o200k =
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*"
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
constexpr std::string_view tekken =
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
    "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*"
    "|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
constexpr std::string_view kimiK2 = "[\\p{Han}]+"
                                    "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*"
                                    "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
                                    "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+"
                                    "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
                                    "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
constexpr std::string_view bailing = "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}"
                                     "| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+";
constexpr std::string_view deepseekV3 =
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
constexpr std::string_view cjkAndKana = "[\\x{4E00}-\\x{9FA5}\\x{3040}-\\x{309F}\\x{30A0}-\\x{30FF}]+";
constexpr std::string_view cjkAndHangul = "[\\x{4E00}-\\x{9FA5}\\x{0800}-\\x{4E00}\\x{AC00}-\\x{D7FF}]+";
constexpr std::string_view deepseekMarks =
    "\\s?[!-/:-~\\x{FF01}-\\x{FF0F}\\x{FF1A}-\\x{FF5E}\\x{2018}-\\x{201F}\\x{3000}-\\x{3002}]+";
/// White space and a run of the cased letters that this family lists.
constexpr std::string_view deepseekLetters =
    R"(\s?[)"
    R"(\x{41}-\x{5A}\x{61}-\x{7A}\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF})"
    R"(\x{1C4}-\x{293}\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386})"
    R"(\x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556})"
    R"(\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF})"
    R"(\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D})"
    R"(\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D}\x{1F5F}-\x{1F7D})"
    R"(\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3})"
    R"(\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107})"
    R"(\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134})"
    R"(\x{2139}\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4})"
    R"(\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F})"
    R"(\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17})"
    R"(\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{104B0}-\x{104D3}\x{104D8}-\x{104FB})"
    R"(\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}\x{1E900}-\x{1E943})"
    R"(]+)";

constexpr WordSplitting gpt2Words{.wordsOfGpt2 = true};
constexpr WordSplitting gpt2WordsOfNfc{.nfc = true, .wordsOfGpt2 = true};
constexpr WordSplitting gpt2WordsAndDigits{.individualDigits = true, .wordsOfGpt2 = true};
constexpr WordSplitting gpt2WordsAndDigitsOfNfc{.nfc = true, .individualDigits = true, .wordsOfGpt2 = true};
constexpr WordSplitting qwenWords{.nfc = true, .patterns = {qwen2}};
constexpr WordSplitting grokWords{.patterns = {qwen2}};
constexpr WordSplitting llamaWords{.ignoreMerges = true, .addBegin = true, .patterns = {llama3}};
constexpr WordSplitting glmWords{.patterns = {llama3}};
constexpr WordSplitting o200kWords{.ignoreMerges = true, .patterns = {o200k}};
constexpr WordSplitting tekkenWords{.ignoreMerges = true, .addBegin = true, .patterns = {tekken}};
constexpr WordSplitting kimiWords{.patterns = {kimiK2}};
constexpr WordSplitting bailingWords{.patterns = {bailing}};
constexpr WordSplitting deepseekV3Words{.patterns = {"\\p{N}{1,3}", cjkAndKana, deepseekV3}};
constexpr WordSplitting deepseekWords{
    .individualDigits = true, .patterns = {"[\\r\\n]", deepseekLetters, deepseekMarks, "\\s+$", cjkAndHangul}};
constexpr WordSplitting deepseekCoderWords{
    .individualDigits = true, .patterns = {"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", cjkAndHangul}};

struct Row {
    std::string_view pre;
    const WordSplitting* splitting;
};
constexpr Row rows[] = {
    {"gpt-2", &gpt2Words},
    {"phi-2", &gpt2Words},
    {"olmo", &gpt2WordsOfNfc},
    {"mpt", &gpt2WordsOfNfc},
    {"starcoder", &gpt2WordsAndDigits},
    {"refact", &gpt2WordsAndDigits},
    {"smollm", &gpt2WordsAndDigits},
    {"codeshell", &gpt2WordsAndDigits},
    {"command-r", &gpt2WordsAndDigitsOfNfc},
    {"qwen2", &qwenWords},
    {"deepseek-r1-qwen", &qwenWords},
    {"hunyuan", &qwenWords},
    {"grok-2", &grokWords},
    {"llama3", &llamaWords},
    {"llama-v3", &llamaWords},
    {"llama-bpe", &llamaWords},
    {"dbrx", &glmWords},
    {"smaug-bpe", &glmWords},
    {"glm4", &glmWords},
    {"chatglm-bpe", &glmWords},
    {"gpt-4o", &o200kWords},
    {"llama4", &o200kWords},
    {"minimax-m2", &o200kWords},
    {"tekken", &tekkenWords},
    {"kimi-k2", &kimiWords},
    {"bailingmoe", &bailingWords},
    {"bailingmoe2", &bailingWords},
    {"llada-moe", &bailingWords},
    {"deepseek-v3", &deepseekV3Words},
    {"hunyuan-dense", &deepseekV3Words},
    {"deepseek-llm", &deepseekWords},
    {"deepseek-coder", &deepseekCoderWords},
};

} // namespace

const WordSplitting* findWordSplitting(std::string_view pre)
{
    const auto at = std::ranges::find(rows, pre, &Row::pre);
    return at == std::end(rows) ? nullptr : at->splitting;
}

} // namespace colibri
