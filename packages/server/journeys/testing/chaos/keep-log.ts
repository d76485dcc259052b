// The recorders of a campaign: batches of entries with marks, some sent twice, and pages that are read back.
import { sampleEntry } from '../logbook-client.ts'
import type { Campaign } from './make-calls.ts'

export async function sendEntries({ dice, account, server, teams }: Campaign): Promise<void> {
  const team = dice.pick(teams)
  const marks = Array.from({ length: dice.integer(1, 20) }, dice.name)
  const entries = marks.map(prompt => ({ ...sampleEntry, prompt }))
  const body = JSON.stringify({ entries })
  const sentAt = Date.now()
  const wasLocked = team.lockedSince
  // Unanswered batches are sent again, as recorders do; they may be stored already.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      const response = await fetch(`${server.current().logbookUrl}/api/ingest`, {
        method: 'POST',
        headers: { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' },
        body,
        keepalive: false,
        signal: AbortSignal.timeout(40_000),
      })
      const text = await response.text()
      if (response.status === 202) {
        const { received, stored, duplicates } = JSON.parse(text) as Record<string, number>
        if (received !== marks.length || (stored ?? 0) + (duplicates ?? 0) !== marks.length)
          account.violate('a batch of entries', text)
        account.entries.push(...marks.map(mark => ({ team: team.id, mark, isAcknowledged: true })))
        account.count('entries acknowledged', marks.length)
        if (wasLocked !== null && wasLocked === team.lockedSince)
          account.violate('a locked board took entries', `${team.id}, locked since ${wasLocked}`)
        return
      }
      if (![401, 403, 429, 503].includes(response.status))
        account.violate('a batch of entries', `${response.status}: ${text.slice(0, 200)}`)
      account.count(`batches refused with ${response.status}`)
      break
    } catch (error) {
      if (!server.wasInterrupted(sentAt, Date.now()))
        account.violate('a connection broke', `ingest: ${error}`)
      await server.ready()
    }
  }
  account.entries.push(...marks.map(mark => ({ team: team.id, mark, isAcknowledged: false })))
}

export async function readEntries({ dice, account, server, teams }: Campaign): Promise<void> {
  const team = dice.pick(teams)
  const sentAt = Date.now()
  try {
    const response = await fetch(
      `${server.current().logbookUrl}/api/ingest/entries?limit=${dice.integer(1, 200)}`,
      {
        headers: { authorization: `Bearer ${team.token}` },
        keepalive: false,
        signal: AbortSignal.timeout(40_000),
      },
    )
    const text = await response.text()
    if (response.status !== 200 && response.status !== 503 && response.status !== 429)
      account.violate('a page of entries', `${response.status}: ${text.slice(0, 200)}`)
  } catch (error) {
    if (!server.wasInterrupted(sentAt, Date.now())) account.violate('a connection broke', `entries: ${error}`)
  }
}
