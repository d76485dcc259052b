// Notices entries that seem to contain a secret, so that the team can replace it. Nothing is removed, because entries are verbatim (spec 6).
import { parseEntryText } from '../spool/spool.ts'

const patterns: readonly (readonly [string, RegExp])[] = [
  ['private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['log token', /\baitc_[A-Za-z0-9_-]{20,}/],
  ['API key', /\bsk-[A-Za-z0-9_-]{20,}/],
  ['cloud key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['cloud key', /\bAIza[A-Za-z0-9_-]{35}/],
  ['GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})/],
  ['GitLab token', /\bglpat-[A-Za-z0-9_-]{20,}/],
  ['Slack token', /\bxox[abprs]-[A-Za-z0-9-]{10,}/],
  ['npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['password in an address', /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"']+:[^\s/:@"']{3,}@/i],
]

/** The kinds of secret that the text of an entry seems to contain. */
export function findSecrets(text: string): string[] {
  return [...new Set(patterns.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind))]
}

export type SuspectEntry = {
  /** The name of the entry's file, as `status` shows it. */
  readonly name: string
  readonly tool: string
  readonly event: string
  readonly ts: string
  readonly kinds: readonly string[]
}

/** Those of the entries that seem to contain a secret. */
export function findSuspects(
  entries: readonly { readonly name: string; readonly text: string }[],
): SuspectEntry[] {
  return entries.flatMap(({ name, text }) => {
    const kinds = findSecrets(text)
    if (kinds.length === 0) return []
    const { tool, event, ts } = parseEntryText(Buffer.from(text))?.entry ?? {}
    return [{ name, tool: String(tool), event: String(event), ts: String(ts), kinds }]
  })
}
