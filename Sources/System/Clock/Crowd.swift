internal import CredentialCore
internal import Glibc

/// How many processes want to run for each processor, at this moment.
package enum Crowd {
    /// However many there are: whoever waits must come to an end, and before GDBus does, which gives a call 25 seconds.
    private static let most: Int64 = 4

    package static var now: Int64 { of(FileReader.beginning(of: "/proc/loadavg", atMost: 128) ?? []) }

    /// From the fourth field of proc(5)'s `loadavg`: so many run or could, this process among them; 1 if it cannot be read.
    package static func of(_ averages: [UInt8], processors: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN))) -> Int64 {
        let fields = averages.split(separator: UInt8(ascii: " "))
        guard fields.count > 3, let running = DecimalNumber.parse(fields[3].prefix { $0 != UInt8(ascii: "/") }) else {
            return 1
        }
        return min(max((running - 1) / Int64(max(processors, 1)), 1), most)
    }
}
