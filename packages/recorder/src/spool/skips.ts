// Notes events that were not recorded, with the reason. Otherwise nobody would notice, because a hook neither prints nor fails.
import { appendLog } from './append-log.ts'
import type { Files } from './files.ts'
import type { Layout } from './layout.ts'

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
