/// The comparison to make, one line for each step.
///
/// ```
/// contender NAME
/// prepare STATUS INPUT EXPECTED PROGRAM ARGUMENT…
/// run STATUS INPUT EXPECTED PROGRAM ARGUMENT…
/// ```
/// The steps up to the next contender belong to this one. `prepare` is not measured; several `run` steps are measured
/// as one. INPUT is a file. EXPECTED is a text that the output must contain; with `-`, the output must be empty. Words
/// are separated by spaces. A line with another first word is an error.
enum Plan {
    /// Reads a plan from standard input.
    static func read() throws(Failure) -> [Contender] {
        var contenders: [Contender] = []
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "contender" where words.count == 2: contenders.append(Contender(name: words[1]))
            case "prepare" where words.count > 4, "run" where words.count > 4:
                guard let status = Int32(words[1]), !contenders.isEmpty else { throw Failure("bad step: \(line)") }
                contenders[contenders.count - 1].steps.append(
                    Step(
                        isMeasured: words[0] == "run", status: status, input: words[2],
                        expected: words[3] == "-" ? nil : words[3], command: Array(words[4...])))
            default: throw Failure("bad line: \(line)")
            }
        }
        return contenders
    }
}

/// One of the compared programs, with its steps.
struct Contender {
    let name: String
    var steps: [Step] = []

    /// - Returns: The total of the measured steps, and the highest of their memory peaks.
    func run() throws(Failure) -> Usage {
        var sum = Usage()
        for step in steps {
            let usage = try step.run()
            if step.isMeasured { sum.add(usage) }
        }
        return sum
    }
}
