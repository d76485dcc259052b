// Finds the prompts of the user among the steps of an Antigravity transcript.

import { asMoment, textOf } from '../../json/members.ts'
import { promptFields } from '../event-fields.ts'
import type { TranscriptLine, UnreportedEvents } from '../tool.ts'

export type TranscriptPrompt = { readonly step: number; readonly createdAt: Date; readonly text: string }

/** Every line with a prompt contains this. */
export const promptMarks = ['"USER_INPUT"']

/** A prompt is written at most this long (ms) before the first hook of its turn. Earlier ones are from before the recorder. */
export const longestBeforeHookMs = 120_000

export const antigravityPrompts: UnreportedEvents = {
  marks: promptMarks,
  find: (lines, { sessionId, model }) => ({
    events: findPrompts(lines).map(({ step, createdAt, text }) => ({
      key: promptKey(sessionId, step),
      ts: createdAt,
      tool: 'antigravity',
      event: 'PreInvocation',
      fields: promptFields(model, text),
      folder: null,
    })),
    state: {},
  }),
}

export function findPrompts(lines: readonly TranscriptLine[]): TranscriptPrompt[] {
  return lines.flatMap(line => {
    const content = textOf(line, 'content')
    const step = line.step_index
    if (line.type !== 'USER_INPUT' || line.source !== 'USER_EXPLICIT') return []
    if (content === null || typeof step !== 'number') return []
    return [{ step, createdAt: asMoment(line.created_at, new Date(0)), text: unwrapRequest(content) }]
  })
}

/** Identifies a prompt for both the hook and the scan. */
export function promptKey(conversation: string, step: number): string {
  return `antigravity-${conversation}-${step}`
}

function unwrapRequest(content: string): string {
  const request = /<USER_REQUEST>\r?\n?([\s\S]*?)\r?\n?<\/USER_REQUEST>/.exec(content)
  return request?.[1] ?? content
}
