// Digests the texts of a call for its record, with its team's key, after peeling off the wrappers that its tool added.
import { type JoinRules, peelText } from '@fairgate/contracts/logbook/join-rules.ts'
import { buildJoinText, type JoinTextKind } from '@fairgate/contracts/logbook/join-text.ts'
import type { CallTexts, SpokenTexts } from '../ledger/call-record.ts'

export type DigestTexts = (teamId: string, tool: string | null, texts: SpokenTexts) => CallTexts | null

/** Null for a call without texts. Texts that consist only of wrappers have no digest. */
export function createDigester(eventKey: Uint8Array, rules: JoinRules): DigestTexts {
  const hashers = new Map<string, Bun.CryptoHasher>()
  const hasherOf = (teamId: string): Bun.CryptoHasher => {
    const known = hashers.get(teamId)
    if (known !== undefined) return known
    const hasher = createTextHasher(deriveTeamJoinKey(eventKey, teamId))
    hashers.set(teamId, hasher)
    return hasher
  }
  return (teamId, tool, { prompts, results, answer }) => {
    const hasher = hasherOf(teamId)
    const digest = (kind: JoinTextKind, text: string): string[] => {
      const peeled = tool === null ? text : peelText(rules, tool, kind, text)
      const digested = peeled === null ? null : digestText(hasher, kind, peeled)
      return digested === null ? [] : [digested]
    }
    const digests: CallTexts = {
      prompts: prompts.flatMap(text => digest('prompt', text)),
      results: results.flatMap(text => digest('result', text)),
      answer: answer === null ? null : (digest('answer', answer)[0] ?? null),
    }
    const isEmpty = digests.prompts.length + digests.results.length === 0 && digests.answer === null
    return isEmpty ? null : digests
  }
}

/** First byte of the digested data: a prompt is never mistaken for a result with the same words. */
const kindBytes: Readonly<Record<JoinTextKind, string>> = { prompt: '\x01', result: '\x02', answer: '\x03' }

/** Half of a SHA-256 is enough to tell the texts of an event apart. */
const digestBytes = 16

/** Each team has its own key, so the digests of two teams reveal nothing about each other. */
export function deriveTeamJoinKey(eventKey: Uint8Array, teamId: string): Uint8Array {
  return new Bun.CryptoHasher('sha256', eventKey).update(teamId).digest()
}

/** Hasher of a team: each text is digested by a copy of it that already has the key. */
export function createTextHasher(teamKey: Uint8Array): Bun.CryptoHasher {
  return new Bun.CryptoHasher('sha256', teamKey)
}

/**
 * The first 16 bytes of HMAC-SHA-256(team join key, byte of the kind ‖ UTF-8 of the text in its form for comparing), in base64; null for a
 * text with an empty form. 0.9 µs for a text of 1,000 letters; 2.9 with node:crypto.
 */
export function digestText(hasher: Bun.CryptoHasher, kind: JoinTextKind, text: string): string | null {
  const form = buildJoinText(kind, text)
  if (form === '') return null
  return hasher.copy().update(kindBytes[kind]).update(form).digest().toString('base64', 0, digestBytes)
}
