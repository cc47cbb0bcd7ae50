import Testing

/// Ways in which a network may deliver an input: at once, byte by byte, and in two parts, divided anywhere.
///
/// A long input is divided at both ends and at some places.
enum Pieces {
    /// Returns the result of `read`, which must be the same for each way.
    static func outcome<Outcome: Equatable>(
        of input: [UInt8], sourceLocation: SourceLocation = #_sourceLocation, _ read: ([ArraySlice<UInt8>]) -> Outcome
    ) -> Outcome {
        let whole = read([input[...]])
        #expect(read(input.indices.map { input[$0...$0] }) == whole, "byte by byte", sourceLocation: sourceLocation)
        let stride = input.count > 1_024 ? input.count / 64 : 1
        let cuts = input.indices.filter { cut in
            guard cut.isMultiple(of: stride) || cut < 16 || cut > input.count - 16 else { return false }
            return read([input[..<cut], input[cut...]]) != whole
        }
        #expect(cuts.isEmpty, "cut in two", sourceLocation: sourceLocation)
        return whole
    }
}

/// The result of a reader, and the rest of the input.
struct Outcome<Value: Equatable, Failure: Error & Equatable>: Equatable {
    var result: Result<Value?, Failure>
    /// The unread rest of the input; meaningless after a failure.
    var rest: [UInt8] = []

    /// Feeds a reader until it has a value or fails.
    init(_ pieces: [ArraySlice<UInt8>], _ take: (inout ArraySlice<UInt8>) throws(Failure) -> Value?) {
        result = .success(nil)
        for (number, piece) in pieces.enumerated() {
            var input = piece
            do throws(Failure) {
                guard let value = try take(&input) else { continue }
                result = .success(value)
                rest = Array(input) + pieces[(number + 1)...].joined()
            } catch { result = .failure(error) }
            return
        }
    }

    var value: Value? { (try? result.get()) ?? nil }
    var failure: Failure? { if case .failure(let failure) = result { failure } else { nil } }
}
