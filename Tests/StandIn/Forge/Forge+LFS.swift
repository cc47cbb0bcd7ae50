import FoundationEssentials

extension Forge {
    /// Answers Git LFS (docs/api/batch.md, locking.md and authentication.md) for tokens that git may use.
    func answerLFS(_ request: Request) -> Answer {
        guard let (slug, path) = Self.lfsPath(request.path) else { return Self.lfsMessage(404, "Not found") }
        guard let token = liveToken(request.basicCredentials?.password) else {
            return Self.lfsMessage(
                401, "Credentials needed", headers: [Header("LFS-Authenticate", "Basic realm=\"Git LFS\"")])
        }
        guard repository(slug, for: token)?.access(with: token, at: service) == .write else {
            return Self.lfsMessage(404, "Not found")
        }
        let parts = path.split(separator: "/").map(String.init)
        switch (request.method, parts.first ?? "", parts.last ?? "") {
        case ("POST", "objects", "batch"): return batch(request, slug: slug)
        case ("PUT", "storage", let oid):
            withState { $0.lfs[slug, default: LFSStore()].objects[oid] = request.body }
            return Answer(status: 200)
        case ("GET", "storage", let oid):
            guard let object = withState({ $0.lfs[slug]?.objects[oid] }) else {
                return Self.lfsMessage(404, "Not found")
            }
            return Answer(status: 200, headers: [Header("Content-Type", "application/octet-stream")], body: object)
        case (_, "locks", _): return lock(request, action: parts, slug: slug, owner: token.login)
        default: return Self.lfsMessage(404, "Not found")
        }
    }

    /// Answers a batch request: each object's address below the repository, with the same credentials.
    private func batch(_ request: Request, slug: String) -> Answer {
        struct Batch: Decodable {
            struct Object: Decodable {
                let oid: String
                let size: Int
            }
            let operation: String
            let objects: [Object]
        }
        guard let batch = try? JSONDecoder().decode(Batch.self, from: Data(request.body)) else {
            return Self.lfsMessage(422, "This is no batch")
        }
        let present = withState { $0.lfs[slug]?.objects.keys.map(\.self) ?? [] }
        let objects = batch.objects.map { object in
            var fields: Fields = ["oid": .text(object.oid), "size": .number(Double(object.size))]
            let href = Fields.Value.text("https://\(request.host)/\(slug)/info/lfs/storage/\(object.oid)")
            switch (batch.operation, present.contains(object.oid)) {
            case ("download", false):
                fields.append("error", .object(["code": .number(404), "message": "There is no such object"]))
            case ("upload", true): break
            default: fields.append("actions", .object([batch.operation: .object(["href": href])]))
            }
            return Fields.Value.object(fields)
        }
        return Self.lfs(["transfer": "basic", "objects": .list(objects)])
    }

    private func lock(_ request: Request, action: [String], slug: String, owner: String) -> Answer {
        struct Wanted: Decodable { let path: String? }
        switch (request.method, action.count, action.last ?? "") {
        case ("GET", 1, _): return Self.lfs(["locks": .list(locks(of: slug, path: request.query["path"]))])
        case ("POST", 1, _):
            let path = (try? JSONDecoder().decode(Wanted.self, from: Data(request.body)))?.path ?? ""
            let lock = withState { $0.lfs[slug, default: LFSStore()].lock(path, for: owner) }
            return Self.lfs(["lock": .object(lock)], status: 201)
        case ("POST", 2, "verify"): return Self.lfs(["ours": .list(locks(of: slug)), "theirs": .list([])])
        case ("POST", 3, "unlock"):
            guard let lock = withState({ $0.lfs[slug]?.unlock(action[1]) }) ?? nil else {
                return Self.lfsMessage(404, "Not found")
            }
            return Self.lfs(["lock": .object(lock)])
        default: return Self.lfsMessage(404, "Not found")
        }
    }

    private func locks(of slug: String, path: String? = nil) -> [Fields.Value] {
        let locks = withState { $0.lfs[slug]?.locks ?? [] }
        return locks.filter { path == nil || $0.path == path }.map { .object($0.fields) }
    }

    private static func lfs(_ fields: Fields, status: Int = 200, headers: [Header] = []) -> Answer {
        .text(fields.json, status: status, type: "application/vnd.git-lfs+json", headers: headers)
    }

    private static func lfsMessage(_ status: Int, _ text: String, headers: [Header] = []) -> Answer {
        lfs(["message": .text(text)], status: status, headers: headers)
    }

    /// Splits `/OWNER/NAME/info/lfs/objects/batch`, with or without `.git`, into `OWNER/NAME` and `objects/batch`.
    private static func lfsPath(_ path: String) -> (slug: String, path: String)? {
        guard let middle = path.firstRange(of: "/info/lfs/") else { return nil }
        let name = path[..<middle.lowerBound].dropFirst()
        return (String(name.hasSuffix(".git") ? name.dropLast(4) : name), String(path[middle.upperBound...]))
    }
}

/// The Git LFS storage of one repository.
struct LFSStore: Sendable {
    struct Lock: Sendable {
        let id: String
        let path: String
        let owner: String

        var fields: Fields {
            [
                "id": .text(id), "path": .text(path), "locked_at": "2026-01-01T00:00:00Z",
                "owner": .object(["name": .text(owner)]),
            ]
        }
    }

    var objects: [String: [UInt8]] = [:]
    private(set) var locks: [Lock] = []
    private var count = 0

    mutating func lock(_ path: String, for owner: String) -> Fields {
        count += 1
        let lock = Lock(id: String(count), path: path, owner: owner)
        locks.append(lock)
        return lock.fields
    }

    mutating func unlock(_ id: String) -> Fields? {
        locks.firstIndex { $0.id == id }.map { locks.remove(at: $0).fields }
    }
}
