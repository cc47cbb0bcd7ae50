/// Keeps signals waiting while something must not be cut in two.
package protocol SignalShield {
    /// Runs `body` while SIGINT, SIGTERM, SIGHUP and the like wait; what came meanwhile takes effect afterwards.
    func whileSignalsWait<Result>(_ body: () -> Result) -> Result
}
