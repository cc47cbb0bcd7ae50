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
