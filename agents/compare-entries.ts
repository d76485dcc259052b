// Compares the entries that the logbook stored with those that a session must leave: each once, and no others.
import type { ExpectedEntry } from './programs/agent.ts'

export type StoredEntry = Readonly<Record<string, unknown>>

export type Comparison = {
  readonly missing: readonly ExpectedEntry[]
  readonly surplus: readonly StoredEntry[]
}

export function compareEntries(
  expected: readonly ExpectedEntry[],
  stored: readonly StoredEntry[],
): Comparison {
  const surplus = [...stored]
  const missing = expected.filter(entry => {
    const at = surplus.findIndex(candidate => matches(entry, candidate))
    if (at >= 0) surplus.splice(at, 1)
    return at < 0
  })
  const repeatable = expected.filter(({ mayRepeat }) => mayRepeat)
  return {
    missing,
    surplus: surplus.filter(candidate => !repeatable.some(entry => matches(entry, candidate))),
  }
}

function matches(expected: ExpectedEntry, stored: StoredEntry): boolean {
  const {
    event,
    prompt,
    toolName,
    input: given,
    command,
    output,
    error,
    response_summary,
    stop_reason,
  } = expected
  const input = stored.tool_input
  const ran = typeof input === 'object' && input !== null && 'command' in input ? input.command : undefined
  return (
    stored.event === event &&
    (prompt === undefined || isPrompt(prompt, stored.prompt)) &&
    (toolName === undefined || stored.tool_name === toolName) &&
    (given === undefined || JSON.stringify(input).includes(given)) &&
    (command === undefined || ran === command) &&
    (output === undefined || readOutput(stored.tool_response).includes(output)) &&
    (error === undefined || String(stored.tool_error).includes(error)) &&
    (response_summary === undefined || stored.response_summary === response_summary) &&
    (stop_reason === undefined || stored.stop_reason === stop_reason)
  )
}

function isPrompt(expected: string | RegExp, stored: unknown): boolean {
  return typeof expected === 'string' ? stored === expected : expected.test(String(stored))
}

/** Claude Code sends its output as an object, which an entry contains as JSON text. */
function readOutput(response: unknown): string {
  const text = String(response)
  try {
    return JSON.stringify(JSON.parse(text)).replaceAll('\\n', '\n')
  } catch {
    return text
  }
}
