// SPDX-License-Identifier: GPL-3.0-or-later
// What lies between two steps is a wait or a pause, the same in files and figures.
#include "shownpage.h"

#include "models/timingexport.h"
#include "views/run/promptpanel.h"

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr int nsPerMs = 1'000'000;
static_assert(longestWaitNs == 2'000'000'000 / slowestPace); // no wait for a pace is taken for a pause

/// The column of a CSV file; an empty cell is -1.
std::vector<double> column(const QByteArray& table, const QByteArray& name)
{
    const QList<QByteArray> lines = table.trimmed().split('\n');
    const auto at = lines.first().split(',').indexOf(name);
    std::vector<double> values;
    for (const QByteArray& line : lines.mid(1)) {
        const QByteArray cell = line.split(',').value(at);
        values.push_back(cell.isEmpty() ? -1 : cell.toDouble());
    }
    return values;
}

} // namespace

class TestLatencyGaps : public QObject {
    Q_OBJECT

private slots:
    void filesTellPausesFromWaits()
    {
        Shown shown;
        LatencyRun run(shown.store);
        run.prompt(8, 8, 1);
        run.decode(4, 46);
        run.show();
        shown.store.setState(RunStore::State::Paused);
        shown.store.setState(RunStore::State::Running);
        run.decode(4, 300); // known as a pause
        run.decode(4, 46);
        run.decode(4, 600'000); // told by its length
        run.decode(4, 0, false);
        run.decode(4);
        run.show();
        QVERIFY(shown.settled());

        QByteArray table;
        {
            const TimingFile file = timingsAsCsv(shown.store.pauses());
            table = file.head;
            for (std::size_t i = 0; i < shown.store.timings().size(); ++i)
                file.appendRow(table, shown.store.timings(), i);
        }
        QCOMPARE(column(table, "waiting_ns"), (std::vector<double>{-1, 46e6, 0, 46e6, 0, -1}));
        QCOMPARE(column(table, "paused_ns"), (std::vector<double>{-1, 0, 300e6, 0, 600'000e6, -1}));
        const LatencyStats& stats = shown.page.history().stats();
        QCOMPARE(stats.stageNs(Phase::Decode, Stage::Waiting), 2. * 46 * nsPerMs);
        QCOMPARE(double(stats.pausedNs()), 600'300e6);
    }
};

QTEST_MAIN(TestLatencyGaps)
#include "tst_gaps.moc"
