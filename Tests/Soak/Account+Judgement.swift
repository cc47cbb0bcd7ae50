import StandIn

/// What a `get` printed.
struct GivenAnswer {
    let username: String?
    let password: String?
    /// Seconds since 1970; nil: it does not end, or there is no password.
    let expiry: Int?
    /// Whether it is one that git's protocol allows: nothing, `quit=1`, or a whole credential.
    let isWellFormed: Bool

    /// Reads it as git does, line by line.
    init(_ output: String) {
        var values: [String: String] = [:]
        for line in output.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            values[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        username = values["username"]
        password = values["password"]
        expiry = values["password_expiry_utc"].flatMap { Int($0) }
        let isCredential = username != nil && password?.isEmpty == false
        isWellFormed = output.isEmpty || output == "quit=1\n" || isCredential
    }
}

/// All around a `get` that decides which answer is right.
struct Circumstances {
    /// When it began and when it had ended, in seconds since 1970, by the clock that the program had.
    let span: ClosedRange<Int>
    /// By how much that clock was wrong.
    var jump = 0
    /// What the server did to a renewal.
    var trouble: Trouble?
    /// Whether the server would take the stored refresh token.
    var takesRefreshToken = false
    /// What the server has issued to the account meanwhile.
    let issued: [IssuedToken]
}

extension Account {
    /// Says what is wrong with an answer, and follows what has become of the item.
    ///
    /// - Returns: what should have happened; nil if it did.
    mutating func judge(_ answer: GivenAnswer, _ circumstances: Circumstances) -> String? {
        guard answer.isWellFormed else { return "half an answer" }
        guard answer.password == nil || answer.username == login else {
            return "\(login)'s, and not \(answer.username ?? "nobody")'s"
        }
        let isStored = answer.password != nil && answer.password == holding?.password
        switch isFresh(over: circumstances.span) {
        case true?:
            return isStored && circumstances.issued.isEmpty ? nil : "the stored token, without a renewal"
        case nil where isStored && circumstances.issued.isEmpty:
            return nil
        default:
            return judgeStale(answer, circumstances)
        }
    }

    /// The same where the token had to be renewed.
    private mutating func judgeStale(_ answer: GivenAnswer, _ circumstances: Circumstances) -> String? {
        let issued = circumstances.issued
        guard let holding, holding.refreshToken != nil else {
            return issued.isEmpty ? judgeUnrenewed(answer, circumstances) : "no new token"
        }
        switch effect(of: circumstances) {
        case .renewed:
            guard let token = issued.first, issued.count == 1, answer.password == token.accessToken else {
                return "one new token, and that in the answer"
            }
            return take(token, until: answer.expiry, circumstances)
        case .kept:
            return issued.isEmpty ? judgeUnrenewed(answer, circumstances) : "no new token"
        case .spent:
            return issued.count == 1 ? judgeUnrenewed(answer, circumstances) : "a token that nobody hears of"
        case .refused:
            let complaint = issued.isEmpty ? judgeUnrenewed(answer, circumstances) : "no new token"
            self.holding?.refreshToken = nil
            return complaint
        }
    }

    /// Follows a renewal: the token ends so long after its answer has arrived as the server said.
    private mutating func take(_ token: IssuedToken, until expiry: Int?, _ circumstances: Circumstances) -> String? {
        holding = Holding(token, jump: circumstances.jump)
        guard let usual = holding?.expiry else { return expiry == nil ? nil : "a token without an end" }
        holding?.expiry = expiry
        let length = circumstances.span.upperBound - circumstances.span.lowerBound
        let isRight = expiry.map { (usual - 2...usual + length + 2).contains($0) } ?? false
        return isRight ? nil : "an end in \(length) seconds from \(usual) on"
    }

    /// What a renewal comes to at a server that may have lost its answer to an earlier one.
    private func effect(of circumstances: Circumstances) -> Trouble.Effect {
        let effect = circumstances.trouble?.effect ?? .renewed
        guard !circumstances.takesRefreshToken else { return effect }
        return switch effect {
        case .renewed, .refused: .refused
        case .kept, .spent: .kept
        }
    }

    /// A token that could not be renewed is given as long as it lives, and then nothing.
    private func judgeUnrenewed(_ answer: GivenAnswer, _ circumstances: Circumstances) -> String? {
        let isStored = answer.password != nil && answer.password == holding?.password
        return switch isAlive(over: circumstances.span) {
        case true?: isStored ? nil : "the stored token, which still lives"
        case false?: answer.password == nil ? nil : "no password"
        case nil: isStored || answer.password == nil ? nil : "the stored token or none"
        }
    }
}
