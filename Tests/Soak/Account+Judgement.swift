import StandIn

/// The output of a `get`.
struct GivenAnswer {
    let username: String?
    let password: String?
    /// The expiry in seconds since 1970; `nil` for none, or without a password.
    let expiry: Int?
    /// Whether git's protocol allows the output: nothing, `quit=1`, or a whole credential.
    let isWellFormed: Bool

    /// Parses the output line by line, as git does.
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

/// The conditions of a `get` that determine the right answer.
struct Circumstances {
    /// The start and end of the program's run, in seconds since 1970 by the program's clock.
    let span: ClosedRange<Int>
    /// How many seconds the program's clock was ahead.
    var jump = 0
    /// The server's fault during a renewal.
    var trouble: Trouble?
    /// Whether the server accepts the stored refresh token.
    var takesRefreshToken = false
    /// The tokens that the server has issued to the account since the start.
    let issued: [IssuedToken]
}

extension Account {
    /// Judges an answer, and updates the account to what the item must be now.
    mutating func judge(_ answer: GivenAnswer, _ circumstances: Circumstances) -> String? {
        guard answer.isWellFormed else { return "half an answer" }
        guard answer.password == nil || answer.username == login else {
            return "\(login)'s, and not \(answer.username ?? "nobody")'s"
        }
        let isStored = answer.password != nil && answer.password == holding?.password
        switch isFresh(over: circumstances.span) {
        case true?: return isStored && circumstances.issued.isEmpty ? nil : "the stored token, without a renewal"
        case nil where isStored && circumstances.issued.isEmpty: return nil
        default: return judgeStale(answer, circumstances)
        }
    }

    /// Judges an answer whose token had to be renewed.
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
        case .kept: return issued.isEmpty ? judgeUnrenewed(answer, circumstances) : "no new token"
        case .spent: return issued.count == 1 ? judgeUnrenewed(answer, circumstances) : "a token that nobody hears of"
        case .refused:
            let complaint = issued.isEmpty ? judgeUnrenewed(answer, circumstances) : "no new token"
            self.holding?.refreshToken = nil
            return complaint
        }
    }

    /// Updates the account after a renewal; checks that the token's expiry is the server's lifetime after the answer.
    private mutating func take(_ token: IssuedToken, until expiry: Int?, _ circumstances: Circumstances) -> String? {
        holding = Holding(token, jump: circumstances.jump)
        guard let usual = holding?.expiry else { return expiry == nil ? nil : "a token without an end" }
        holding?.expiry = expiry
        let length = circumstances.span.upperBound - circumstances.span.lowerBound
        let isRight = expiry.map { (usual - 2...usual + length + 2).contains($0) } ?? false
        return isRight ? nil : "an end in \(length) seconds from \(usual) on"
    }

    /// The effect of a renewal at a server whose answer to an earlier one may be lost.
    private func effect(of circumstances: Circumstances) -> Trouble.Effect {
        let effect = circumstances.trouble?.effect ?? .renewed
        guard !circumstances.takesRefreshToken else { return effect }
        return switch effect {
        case .renewed, .refused: .refused
        case .kept, .spent: .kept
        }
    }

    /// Judges an answer after a failed renewal: the old token while it is valid, then nothing.
    private func judgeUnrenewed(_ answer: GivenAnswer, _ circumstances: Circumstances) -> String? {
        let isStored = answer.password != nil && answer.password == holding?.password
        return switch isAlive(over: circumstances.span) {
        case true?: isStored ? nil : "the stored token, which still lives"
        case false?: answer.password == nil ? nil : "no password"
        case nil: isStored || answer.password == nil ? nil : "the stored token or none"
        }
    }
}
