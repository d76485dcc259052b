// Calls and entries for the tests of coverage. Digests are the texts themselves, so that a failure is readable.
import type { JudgedCall, JudgeInput, RecordedCall } from '../judge-calls.ts'
import { judgeCalls } from '../judge-calls.ts'
import { type EntryFacts, SessionLog } from '../session-log.ts'

export const minute = 60_000
export const day = 24 * 60 * minute
/** Noon of a day of the event. */
export const noon = Date.UTC(2026, 10, 21, 12)

/** A text that is long enough to tell sessions apart. */
export const long = (text: string): string => `${text} ${'and so on '.repeat(4)}`.trim()

export function buildCall(callId: string, changes: Partial<RecordedCall> = {}): RecordedCall {
  const receivedAt = changes.receivedAt ?? noon
  return {
    callId,
    keyHash: 'key',
    tool: 'gemini',
    sessionId: null,
    parentSession: null,
    address: null,
    outcome: 'completed',
    receivedAt,
    endedAt: receivedAt + 5000,
    cost: 10_000_000,
    units: { inputText: 12_000, outputText: 300 },
    texts: null,
    ...changes,
  }
}

export const say = (
  prompts: readonly string[],
  results: readonly string[] = [],
  answer: string | null = null,
) => ({
  prompts: prompts.map(text => `p:${text}`),
  results: results.map(text => `r:${text}`),
  answer: answer === null ? null : `a:${answer}`,
})

export function buildEntry(changes: Partial<EntryFacts> = {}): EntryFacts {
  const at = changes.at ?? noon
  return {
    at,
    claimedAt: at,
    receivedAt: at + 60 * minute,
    sender: 'clone',
    address: null,
    tool: 'gemini',
    sessionId: 's',
    prompt: null,
    results: [],
    answer: null,
    ...changes,
  }
}

export function logEntries(entries: readonly EntryFacts[]): SessionLog {
  const log = new SessionLog((_, { prompts, results, answer }) => say(prompts, results, answer))
  for (const entry of entries) log.add(entry)
  return log
}

function runToEnd<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Two days later, so that nothing is pending. */
export function judge(
  calls: readonly RecordedCall[],
  entries: readonly EntryFacts[],
  changes: Partial<JudgeInput> = {},
): readonly JudgedCall[] {
  const work = logEntries(entries).read()
  return runToEnd(judgeCalls({ calls, work, now: noon + 2 * day, closedAt: null, ...changes }))
}
