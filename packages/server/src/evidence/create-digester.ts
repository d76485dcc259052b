// Digests the texts of a call for its record, with the key of its team, after what its tool has wrapped around them is peeled off.

import { createHmac } from 'node:crypto'
import { type JoinRules, peelText } from '@fairgate/contracts/logbook/join-rules.ts'
import { buildJoinText, type JoinTextKind } from '@fairgate/contracts/logbook/join-text.ts'
import type { CallTexts, SpokenTexts } from '../ledger/call-record.ts'

export type DigestTexts = (teamId: string, tool: string | null, texts: SpokenTexts) => CallTexts | null

/** Null for a call that says nothing. Texts of nothing but wrappers have no digest. */
export function createDigester(eventKey: Uint8Array, rules: JoinRules): DigestTexts {
  const teamKeys = new Map<string, Uint8Array>()
  const keyOf = (teamId: string): Uint8Array => {
    const known = teamKeys.get(teamId)
    if (known !== undefined) return known
    const key = deriveTeamJoinKey(eventKey, teamId)
    teamKeys.set(teamId, key)
    return key
  }
  return (teamId, tool, { prompts, results, answer }) => {
    const key = keyOf(teamId)
    const digest = (kind: JoinTextKind, text: string): string[] => {
      const peeled = tool === null ? text : peelText(rules, tool, kind, text)
      const bytes = peeled === null ? null : digestText(key, kind, peeled)
      return bytes === null ? [] : [Buffer.from(bytes).toString('base64')]
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

/** The first byte of what is digested: a prompt is never taken for a result with the same words. */
const kindBytes: Readonly<Record<JoinTextKind, number>> = { prompt: 1, result: 2, answer: 3 }

/** Half of a SHA-256 is enough to tell the texts of an event apart. */
const digestBytes = 16

/** Another key for each team: the digests of two teams tell nothing about each other. */
export function deriveTeamJoinKey(eventKey: Uint8Array, teamId: string): Uint8Array {
  return createHmac('sha256', eventKey).update(teamId, 'utf8').digest()
}

/**
 * The first 16 bytes of HMAC-SHA-256(team join key, byte of the kind ‖ UTF-8 of the text in its form for comparing); null for a text
 * of which that form is empty. 1 µs for a short text and 8 for one of 4,000 letters.
 */
export function digestText(teamKey: Uint8Array, kind: JoinTextKind, text: string): Uint8Array | null {
  const form = buildJoinText(kind, text)
  if (form === '') return null
  const hmac = createHmac('sha256', teamKey).update(Uint8Array.of(kindBytes[kind])).update(form, 'utf8')
  // A copy: what is returned may be kept for long, and must not keep the whole digest with it.
  return Uint8Array.from(hmac.digest().subarray(0, digestBytes))
}
