/// What one run took.
struct Usage {
    var wallNanoseconds: Int64 = 0
    var cpuNanoseconds: Int64 = 0
    /// The highest resident memory, in KiB.
    var peakKiB = 0

    /// Takes in a run that follows.
    mutating func add(_ next: Usage) {
        wallNanoseconds += next.wallNanoseconds
        cpuNanoseconds += next.cpuNanoseconds
        peakKiB = max(peakKiB, next.peakKiB)
    }
}

/// All that was measured of one contender.
struct Result {
    private let name: String
    private var rounds: [Usage] = []

    /// Of a contender, nothing yet.
    init(name: String) { self.name = name }

    /// Takes in a round.
    mutating func add(_ usage: Usage) { rounds.append(usage) }

    /// The result as a line of tab-separated fields.
    func line(comparedWith reference: Result) -> String {
        let ratios = rounds.indices.map {
            Double(rounds[$0].wallNanoseconds) / Double(reference.rounds[$0].wallNanoseconds)
        }
        let wall = Self.median(rounds.map { Double($0.wallNanoseconds) / 1e6 })
        let cpu = Self.median(rounds.map { Double($0.cpuNanoseconds) / 1e6 })
        let peak = rounds.reduce(0) { max($0, $1.peakKiB) }
        return [name, Self.text(wall), Self.text(Self.median(ratios)), Self.text(cpu), String(peak)]
            .joined(separator: "\t")
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Three digits behind the point: without Foundation, and in no locale.
    private static func text(_ value: Double) -> String {
        let thousandths = Int((value * 1_000).rounded())
        let fraction = String(thousandths % 1_000)
        return "\(thousandths / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
