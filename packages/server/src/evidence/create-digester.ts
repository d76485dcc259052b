// Digests the texts of a call for its record, with the key of its team, after what its tool has wrapped around them is peeled off.
import { type JoinRules, peelText } from '@fairgate/contracts/logbook/join-rules.ts'
import type { JoinTextKind } from '@fairgate/contracts/logbook/join-text.ts'
import type { CallTexts, SpokenTexts } from '../ledger/call-record.ts'
import { deriveTeamJoinKey, digestText } from './digest-texts.ts'

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
