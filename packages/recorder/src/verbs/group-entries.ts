// Groups entries as a reader thinks of them: sessions, their prompts, and what the tool did for each prompt.
import type { StoredEntry } from '@fairgate/contracts/logbook/entries-page.ts'

/** The entries that follow one prompt. `prompt` is null if it is not among the entries. */
export type Turn = { readonly prompt: StoredEntry | null; readonly steps: readonly StoredEntry[] }

export type Session = {
  readonly tool: string
  readonly sessionId: string
  /** The oldest first. */
  readonly entries: readonly StoredEntry[]
  readonly turns: readonly Turn[]
}

/** `entries` come newest first, as the logbook returns them. The most recently active session comes first. */
export function groupEntries(entries: readonly StoredEntry[]): Session[] {
  const sessions = new Map<string, StoredEntry[]>()
  // The entries come newest first, so the sessions are in order.
  for (const entry of entries) {
    const key = JSON.stringify([entry.tool, entry.session_id])
    const own = sessions.get(key) ?? []
    own.push(entry)
    sessions.set(key, own)
  }
  return [...sessions.values()].map(newestFirst => {
    const own = [...newestFirst].reverse()
    const [{ tool, session_id: sessionId } = { tool: '', session_id: '' }] = own
    return { tool, sessionId, entries: own, turns: splitTurns(own) }
  })
}

function splitTurns(entries: readonly StoredEntry[]): Turn[] {
  const turns: { prompt: StoredEntry | null; steps: StoredEntry[] }[] = []
  for (const entry of entries) {
    const last = turns.at(-1)
    if (entry.prompt !== null) turns.push({ prompt: entry, steps: [] })
    else if (last === undefined) turns.push({ prompt: null, steps: [entry] })
    else last.steps.push(entry)
  }
  return turns
}
