// The recorder's own log of what went wrong in hooks, which must neither print nor fail.
import { appendFileSync, chmodSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Files } from './files.ts'
import type { Layout } from './layout.ts'

const largestBytes = 256 * 1024
/** Readable only by the owner. */
const fileMode = 0o600

/** Never throws. The log contains no text of any entry. */
export function appendLog(path: string, now: Date, message: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rotate(path)
    appendFileSync(path, `${now.toISOString()} ${message.replace(/\s+/g, ' ')}\n`, { mode: fileMode })
  } catch {
    // There is no other place to report it.
  }
}

function rotate(path: string): void {
  try {
    const { size, mode } = statSync(path)
    if ((mode & 0o077) !== 0) chmodSync(path, fileMode)
    if (size > largestBytes) renameSync(path, `${path}.old`)
  } catch {
    // The log does not exist yet.
  }
}

/** Notes events that were not recorded, with the reason. Otherwise no one would notice, because a hook neither prints nor fails. */
export type Skip = { readonly tool: string; readonly event: string; readonly reason: string }

/** The events of one tool that were skipped for one reason. */
export type SkipSummary = {
  readonly tool: string
  readonly reason: string
  readonly count: number
  /** ISO 8601, UTC. */
  readonly firstAt: string
  readonly lastAt: string
}

/** Never throws. The log is bounded, so the oldest skips are eventually dropped. */
export function noteSkip({ skipped }: Pick<Layout, 'skipped'>, now: Date, skip: Skip): void {
  appendLog(skipped, now, `${skip.tool} ${skip.event}: ${skip.reason}`)
}

/** The newest last. */
export function readSkips({ files, layout }: { files: Pick<Files, 'read'>; layout: Layout }): SkipSummary[] {
  const text = [`${layout.skipped}.old`, layout.skipped]
    .map(path => Buffer.from(files.read(path) ?? []).toString('utf8'))
    .join('')
  const summaries = new Map<string, SkipSummary>()
  for (const line of text.split('\n')) {
    const [, at, tool, reason] = /^(\S+) (\S+) \S*: (.*)$/.exec(line) ?? []
    if (at === undefined || tool === undefined || reason === undefined) continue
    const key = `${tool} ${reason}`
    const known = summaries.get(key)
    summaries.delete(key)
    summaries.set(key, {
      tool,
      reason,
      count: (known?.count ?? 0) + 1,
      firstAt: known?.firstAt ?? at,
      lastAt: at,
    })
  }
  return [...summaries.values()]
}
