import StandIn

/// The command line of `stand-in`.
struct Options {
    static let usage = """
        usage: stand-in [--service NAME] [--port N] [--interval SECONDS] [--certificate KIND] [--ignore-stdin]
          --service NAME      github (default) or gitlab
          --port N            TLS port on 127.0.0.1 (default: any)
          --interval SECONDS  between two polls (default 5)
          --certificate KIND  valid, otherName, expired or selfSigned
          --ignore-stdin      serve until SIGTERM even if standard input ends

        """

    private(set) var service = Service.gitHub
    private(set) var port = 0
    private(set) var interval = 5.0
    private(set) var certificate = ServerCertificate.valid
    private(set) var ignoresStandardInput = false

    /// Reads the arguments behind the program's name; nil if they make no sense.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--ignore-stdin" {
                ignoresStandardInput = true
                continue
            }
            guard let value = rest.popFirst(), read(option, value) else { return nil }
        }
    }

    /// Takes one option with its value; false if either is wrong.
    private mutating func read(_ option: String, _ value: String) -> Bool {
        switch option {
        case "--service": set(&service, Service(rawValue: value))
        case "--port": set(&port, Int(value))
        case "--interval": set(&interval, Double(value))
        case "--certificate": set(&certificate, ServerCertificate(rawValue: value))
        default: false
        }
    }

    /// Fills a place, unless the text could not be read.
    private func set<Value>(_ place: inout Value, _ value: Value?) -> Bool {
        guard let value else { return false }
        place = value
        return true
    }
}
