// Estimates the input tokens of a request before the upstream has counted them: a ceiling for money, a likely figure for windows.

// Tokens that a vendor may add per message for role marks and separators; measured templates add 3 to 7.
const ceilingPerMessage = 16
const likelyPerMessage = 4
// English prose has about 4 bytes per token, code and other scripts fewer. Rounded up per request, corrected at settlement.
const likelyBytesPerToken = 4

/** Never fewer than the real count: a token is at least one UTF-8 byte, plus a constant per message. */
export function inputCeiling(utf8Bytes: number, messageCount: number): number {
  return utf8Bytes + ceilingPerMessage * messageCount
}

/** The likely count, for the token window only. Never above `inputCeiling`. */
export function inputEstimate(utf8Bytes: number, messageCount: number): number {
  return Math.ceil(utf8Bytes / likelyBytesPerToken) + likelyPerMessage * messageCount
}
