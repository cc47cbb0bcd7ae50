import Foundation

/// The writable memory of another process, which only root can read (proc(5)).
package struct ProcessMemory {
    private let file: FileHandle
    private let ranges: [Range<UInt64>]

    package init(of process: Int32) throws {
        file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process)/mem"))
        let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
        ranges = maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            return fields[1].hasPrefix("rw") && ends.count == 2 ? ends[0]..<ends[1] : nil
        }
    }

    /// Whether the bytes are anywhere in it.
    package func contains(_ bytes: [UInt8]) throws -> Bool {
        try ranges.contains { range in
            try file.seek(toOffset: range.lowerBound)
            let memory = try file.read(upToCount: range.count) ?? Data()
            return memory.range(of: Data(bytes)) != nil
        }
    }
}
