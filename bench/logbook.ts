// `npm run bench:logbook`: how many entries a second are stored, and what a page costs when there are many.
//
// BENCH_ENTRIES sets how many are stored (200,000); DATABASE_URL runs it on PostgreSQL instead of SQLite.
import { runFairgate } from './lib/run-fairgate.ts'

const total = Number(process.env.BENCH_ENTRIES ?? 200_000)
const batch = 500
const senders = 8
const pagesPerQuestion = 200

const tools = ['claude-code', 'codex', 'gemini-cli', 'cursor', 'copilot', 'windsurf']
const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionStart']
const text = 'All human beings are born free and equal in dignity and rights. '.repeat(11)
const start = Date.parse('2026-11-21T00:00:00Z')

/** About 1 kB each, all different, over 6 tools and 5 events. */
const buildEntry = (index: number) => ({
  ts: new Date(start + index * 40).toISOString(),
  tool: tools[index % tools.length],
  event: events[index % events.length],
  session_id: `session-${index % 97}`,
  repo: 'team/project',
  branch: 'main',
  commit: 'abc1234',
  student: 'student@example.org',
  prompt: `${index} ${text}`,
})

const fairgate = await runFairgate('http://127.0.0.1:9', 'unused')
const headers = { authorization: `Bearer ${fairgate.token}`, 'content-type': 'application/json' }

const send = async (first: number): Promise<number> => {
  const entries = Array.from({ length: Math.min(batch, total - first) }, (_, index) =>
    buildEntry(first + index),
  )
  const reply = await fetch(`${fairgate.logbookUrl}/api/ingest`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ entries }),
  })
  const { stored } = (await reply.json()) as { stored: number }
  if (reply.status !== 202 || stored !== entries.length) throw new Error(`Only ${stored} were stored.`)
  return stored
}

/** The questions that a team's page and an organiser ask, at the newest entries and deep in the past. */
const questions = ['', '&tool=codex', '&event=Stop', '&tool=codex&event=Stop'].flatMap(filter =>
  [1, 0.5, 0.01].map(depth => ({ filter, depth })),
)

const percentile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

try {
  let next = 0
  const began = performance.now()
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (next < total) {
        const first = next
        next += batch
        await send(first)
      }
    }),
  )
  const seconds = (performance.now() - began) / 1000
  console.log(
    `${total} entries in ${seconds.toFixed(1)} s: ${(total / seconds).toFixed(0)}/s, ${senders} senders of ${batch}`,
  )

  console.log('page of 200                  depth     p50      p99')
  for (const { filter, depth } of questions) {
    const times: number[] = []
    for (let page = 0; page < pagesPerQuestion; page += 1) {
      const moment = new Date(start + Math.floor(total * depth) * 40 + page).toISOString()
      const asked = performance.now()
      const reply = await fetch(
        `${fairgate.logbookUrl}/api/ingest/entries?limit=200&before=${moment}${filter}`,
        {
          headers,
        },
      )
      const { items } = (await reply.json()) as { items: unknown[] }
      if (items.length === 0) throw new Error('An empty page.')
      times.push(performance.now() - asked)
    }
    const show = (share: number) => `${percentile(times, share).toFixed(1)} ms`.padStart(8)
    console.log(`${(filter || '(all)').padEnd(28)} ${String(depth).padStart(5)} ${show(0.5)} ${show(0.99)}`)
  }
} finally {
  await fairgate.stop()
}
