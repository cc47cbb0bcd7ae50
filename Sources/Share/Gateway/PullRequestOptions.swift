internal import CredentialCore
internal import Providers

/// Push options that ask for a pull request (git-push(1), `-o`), in the words of GitLab's documentation.
package struct PullRequestOptions: Equatable, Sendable {
    /// The title, or `nil` for the branch's name.
    package private(set) var title: String?
    /// The branch that gets the changes, or `nil` for the default branch.
    package private(set) var target: String?
    /// The lines of all description options; empty if there were none.
    package let description: String
    package private(set) var isDraft = false

    private enum Field: String {
        case create, target, title, description, draft
    }

    /// The accepted prefixes before the dot.
    private static let prefixes = ["merge_request", "mr", "pull_request"]

    /// The limit of GitHub, in Unicode scalars.
    private static let longestTitle = 256
    /// The limits that let a pull request fit into one message between the processes.
    private static let longestDescription = (bytes: 65_536, lines: 2_000)

    package init(_ options: [ArraySlice<UInt8>]) throws(HTTPRefusal) {
        var isCreated = false
        var lines: [String] = []
        for option in options {
            let key = option.prefix { $0 != UInt8(ascii: "=") }
            let name = DisplayText(untrusted: key)
            let parts = key.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard parts.count == 2, Self.prefixes.contains(parts[0]), let field = Field(rawValue: parts[1]),
                key.count < option.count || [.create, .draft].contains(field)
            else {
                throw .pushOptions(
                    "no push option \(name); only merge_request.create, .target, .title, .description and .draft")
            }
            guard let value = String(validating: option.dropFirst(key.count + 1), as: UTF8.self),
                value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else { throw .pushOptions("\(name) takes neither control characters nor other texts than UTF-8") }
            switch field {
            case .create, .draft:
                guard key.count == option.count else { throw .pushOptions("\(name) takes no value") }
                if field == .create { isCreated = true } else { isDraft = true }
            case .title:
                guard title == nil, (1...Self.longestTitle).contains(value.unicodeScalars.count) else {
                    throw .pushOptions("\(name) takes one text of at most 256 characters")
                }
                title = value
            case .target:
                guard target == nil, RefName.isValid(RefName.heads + Array(value.utf8)) else {
                    throw .pushOptions("\(name) takes one branch")
                }
                target = value
            case .description: lines.append(value)
            }
        }
        guard isCreated else { throw .pushOptions("push option merge_request.create is missing") }
        description = lines.joined(separator: "\n")
        guard description.utf8.count <= Self.longestDescription.bytes, lines.count <= Self.longestDescription.lines
        else { throw .pushOptions("merge_request.description takes at most 65536 bytes in 2000 lines") }
    }

    var encoded: [[UInt8]] {
        var options = isDraft ? ["create", "draft"] : ["create"]
        if let title { options.append("title=\(title)") }
        if let target { options.append("target=\(target)") }
        let lines = description.isEmpty ? [] : description.split(separator: "\n", omittingEmptySubsequences: false)
        return (options + lines.map { "description=\($0)" }).map { Array("mr.\($0)".utf8) }
    }

    func proposal(from head: String) -> PullRequestProposal {
        PullRequestProposal(title: title ?? head, description: description, head: head, base: target, isDraft: isDraft)
    }

    /// The title for a text that puts it between quotation marks, which it cannot close.
    var shownTitle: DisplayText? {
        title.map { DisplayText(foreign: $0.utf8.map { $0 == UInt8(ascii: "\"") ? UInt8(ascii: "'") : $0 }) }
    }
}

extension GatewayPolicy {
    /// The pull request that a push asks for, if any; where branches are not limited, options belong to the host.
    func pullRequest(of push: Push) throws(HTTPRefusal) -> PullRequestOptions? {
        guard !branches.isEmpty, !push.options.isEmpty else { return nil }
        guard opensPullRequests else { throw .noPushOptions }
        let options = try PullRequestOptions(push.options)
        guard push.commands.count == 1, let command = push.commands.first else {
            throw .pushOptions("a pull request is for one branch; push it alone")
        }
        guard command.change != .deleted else { throw .pushOptions("no pull request for a branch that is deleted") }
        guard command.branch != nil else { throw .pushOptions("a pull request takes a branch whose name is UTF-8") }
        return options
    }
}

extension Push {
    /// The beginning for the host, without the options and their capability.
    var withoutOptions: [UInt8] {
        let words = bytes[capabilityList].split(separator: UInt8(ascii: " "))
            .filter { !$0.prefix { $0 != UInt8(ascii: "=") }.elementsEqual("push-options".utf8) }
        let command = bytes[(firstLine.lowerBound + 4)..<capabilityList.lowerBound]
        let line = PacketLine.packet(command + words.joined(separator: [UInt8(ascii: " ")]))
        return Array([bytes[..<firstLine.lowerBound], line[...], bytes[firstLine.upperBound..<optionList]].joined())
    }
}

/// Adds `push-options` to the capabilities that a host announces before a push (gitprotocol-pack(5), "Reference
/// Discovery") while its answer passes.
package struct PushAdvertisement {
    package private(set) var held: [UInt8] = []
    private var isOver = false
    package init() {}

    /// Takes a piece of the answer, and returns the bytes to pass on.
    package mutating func take(_ piece: some Collection<UInt8>) -> [UInt8] {
        guard !isOver else { return Array(piece) }
        held += piece
        var start = 0
        // A line with the service, a flush, the protocol's version in some answers, and the first ref.
        for _ in 0..<4 {
            guard held.count >= start + 4 else { return [] }
            guard let length = PacketLine.length(held[start..<start + 4]), length == 0 || length >= 4 else { break }
            let end = start + max(length, 4)
            guard held.count >= end else { return [] }
            if let list = held[start..<end].firstIndex(of: 0) {
                add(start..<end, list)
                break
            }
            start = end
        }
        isOver = true
        defer { held = [] }
        return held
    }

    private mutating func add(_ line: Range<Int>, _ list: Int) {
        let text = line.upperBound - (held[line.upperBound - 1] == UInt8(ascii: "\n") ? 1 : 0)
        let capability = Array("push-options".utf8)
        let words = held[(list + 1)..<text].split(separator: UInt8(ascii: " "))
        guard !words.contains(where: { $0.elementsEqual(capability) }),
            line.count + capability.count + 1 <= PacketLine.longest
        else { return }
        let payload = held[(line.lowerBound + 4)..<text] + [UInt8(ascii: " ")] + capability
        held.replaceSubrange(line, with: PacketLine.packet(payload + held[text..<line.upperBound]))
    }
}
