// The modules that a test with real programs needs beside Staging.
@_exported public import Foundation
@_exported public import StandIn
