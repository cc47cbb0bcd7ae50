internal import Helper

/// Notes where signals wait and where they take effect.
package struct RecordingSignalShield: SignalShield {
    private let journal: Journal

    /// A shield that writes into `journal`.
    package init(journal: Journal) { self.journal = journal }

    package func whileSignalsWait<Result>(_ body: () -> Result) -> Result {
        journal.note("signals wait")
        defer { journal.note("signals pass") }
        return body()
    }
}
