internal import Helper

/// Records where signals are deferred and where they take effect.
package struct RecordingSignalShield: SignalShield {
    private let journal: Journal

    package init(journal: Journal) { self.journal = journal }

    package func whileSignalsWait<Result>(_ body: () -> Result) -> Result {
        journal.note("signals wait")
        defer { journal.note("signals pass") }
        return body()
    }
}
