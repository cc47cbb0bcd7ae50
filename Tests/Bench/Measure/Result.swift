/// The time and memory of one run.
struct Usage {
    var wallNanoseconds: Int64 = 0
    var cpuNanoseconds: Int64 = 0
    /// The peak of resident memory, in KiB.
    var peakKiB = 0

    /// Adds a later run of the same round.
    mutating func add(_ next: Usage) {
        wallNanoseconds += next.wallNanoseconds
        cpuNanoseconds += next.cpuNanoseconds
        peakKiB = max(peakKiB, next.peakKiB)
    }
}

/// All measurements of one contender.
struct Result {
    private let name: String
    private var rounds: [Usage] = []

    init(name: String) { self.name = name }

    /// Adds a round.
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

    /// Three decimals, without Foundation and independent of the locale.
    private static func text(_ value: Double) -> String {
        let thousandths = Int((value * 1_000).rounded())
        let fraction = String(thousandths % 1_000)
        return "\(thousandths / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
