// SPDX-License-Identifier: Apache-2.0
#include "memory/arena.h"

#include <QTest>

#include <algorithm>
#include <cstdint>

using namespace colibri;

class ArenaTest : public QObject {
    Q_OBJECT

private slots:
    void alignsAndBumps();
    void givesNothingBeyondItsEnd();
    void resetStartsOver();
    void freshMemoryIsZero();
    void movesItsBlock();
    void refusesWhatTheSystemCannotGive_data();
    void refusesWhatTheSystemCannotGive();
};

void ArenaTest::alignsAndBumps()
{
    auto arena = Arena::create(4096);
    QVERIFY(arena);
    const auto* previous = static_cast<std::byte*>(arena->allocate(1));
    QVERIFY(previous);
    for (const std::size_t bytes : {1u, 63u, 64u, 65u, 128u}) {
        const auto* const at = static_cast<std::byte*>(arena->allocate(bytes));
        QVERIFY(at);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(at) % Arena::alignment, std::uintptr_t{0});
        QVERIFY(at >= previous + 64);
        previous = at;
    }
    QCOMPARE(arena->used(), std::size_t{64 + 64 + 64 + 64 + 128 + 128});
}

void ArenaTest::givesNothingBeyondItsEnd()
{
    auto arena = Arena::create(1);
    QVERIFY(arena);
    const std::size_t size = arena->size();
    QVERIFY(size >= 1 && size % 4096 == 0);
    QVERIFY(!arena->allocate(size + 1));
    QVERIFY(!arena->allocate(SIZE_MAX));
    QCOMPARE(arena->used(), std::size_t{0});
    QVERIFY(arena->allocate(size));
    QVERIFY(!arena->allocate(1));
    QVERIFY(arena->take<float>(1).empty());
    auto nothing = Arena::create(0);
    QVERIFY(nothing && nothing->size() == 0 && !nothing->allocate(1));
}

void ArenaTest::resetStartsOver()
{
    auto arena = Arena::create(1u << 16);
    QVERIFY(arena);
    void* const first = arena->allocate(100);
    QVERIFY(arena->allocate(1000));
    arena->reset();
    QCOMPARE(arena->used(), std::size_t{0});
    QCOMPARE(arena->allocate(100), first);
}

void ArenaTest::freshMemoryIsZero()
{
    auto arena = Arena::create(1u << 20);
    QVERIFY(arena);
    const auto words = arena->take<std::uint64_t>((1u << 20) / 8);
    QCOMPARE(words.size(), std::size_t{(1u << 20) / 8});
    QVERIFY(std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; }));
    std::ranges::fill(words, ~std::uint64_t{0}); // all of it is writable
}

void ArenaTest::movesItsBlock()
{
    auto made = Arena::create(8192);
    QVERIFY(made);
    const auto values = made->take<int>(4);
    values[3] = 7;
    Arena arena(std::move(*made));
    QCOMPARE(made->size(), std::size_t{0});
    QVERIFY(!made->allocate(1));
    QCOMPARE(arena.used(), std::size_t{64});
    Arena other;
    other = std::move(arena);
    QCOMPARE(other.size(), std::size_t{8192});
    QCOMPARE(values[3], 7);
}

void ArenaTest::refusesWhatTheSystemCannotGive_data()
{
    QTest::addColumn<quint64>("bytes");
    QTest::newRow("past 64 bits") << quint64{UINT64_MAX};
    QTest::newRow("past the address space") << (quint64{1} << 60);
}

void ArenaTest::refusesWhatTheSystemCannotGive()
{
    QFETCH(quint64, bytes);
    const auto arena = Arena::create(bytes);
    QVERIFY(!arena);
    QCOMPARE(arena.error().code, Errc::OutOfMemory);
    QVERIFY(arena.error().message().find(std::to_string(bytes)) != std::string::npos);
}

QTEST_APPLESS_MAIN(ArenaTest)
#include "tst_arena.moc"
