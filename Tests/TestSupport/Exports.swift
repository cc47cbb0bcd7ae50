// The modules that the doubles stand beside: a test imports them with TestSupport.
@_exported public import CredentialCore
@_exported public import Helper
@_exported public import Language
@_exported public import Providers
@_exported public import Share
@_exported public import Verbs
