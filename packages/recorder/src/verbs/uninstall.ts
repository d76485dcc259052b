// `uninstall`: puts every file back as it was. What waits to be sent is kept, unless it is given up by name.
import { removeToken } from '../config/settings.ts'
import { writeDiff } from '../install/files/unified-diff.ts'
import { planUninstall, runUninstall } from '../install/run-uninstall.ts'
import { layOut } from '../spool/layout.ts'
import { listPending } from '../spool/pending.ts'
import { listRejected } from '../spool/rejected.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { openRepository } from './open-repository.ts'
import type { RunVerb } from './verb.ts'

export const runUninstallVerb: RunVerb = async (context, { flags }) => {
  const { repository, spool, fallbackFolder } = openRepository(context)
  const fallback = layOut(fallbackFolder)
  const pending =
    listPending(spool).length +
    listPending({ files: spool.files, layout: fallback }).length +
    listRejected(spool).length
  const dependencies = { repository, runGit: await context.loadGit(), files: context.workFiles, spool }
  const isJson = flags.json !== undefined
  if (flags['dry-run'] !== undefined) {
    const plans = planUninstall(dependencies)
    const diffs = plans.map(({ path, before, after }) => writeDiff(path, before, after))
    context.print(isJson ? `${JSON.stringify({ pending, diffs })}\n` : diffs.join(''))
    return 0
  }
  if (flags.purge !== undefined && pending > 0 && flags.force === undefined) {
    throw new UserFailure(
      `${pending} entries have not reached the logbook. Send them first ("fairgate-recorder send"), or add --force to lose them.`,
    )
  }
  const { restored, refused } = runUninstall(dependencies)
  const isPurged = flags.purge !== undefined && refused.length === 0
  if (isPurged) for (const { folder } of [spool.layout, fallback]) context.workFiles.removeFolder(folder)
  else if (pending === 0) removeToken(spool)
  const report = { restored, refused, pending: isPurged ? 0 : pending, purged: isPurged }
  context.print(isJson ? `${JSON.stringify(report)}\n` : describe(report))
  return refused.length > 0 ? 1 : 0
}

function describe(report: {
  restored: readonly string[]
  refused: readonly { path: string; reason: string }[]
  pending: number
  purged: boolean
}): string {
  const { restored, refused, pending, purged } = report
  const lines = [
    ...restored.map(path => `restored  ${path}`),
    ...refused.map(({ path, reason }) => `LEFT AS IT IS  ${path}: ${reason}`),
  ]
  if (restored.length + refused.length === 0) lines.push('Nothing was installed here.')
  if (purged) lines.push('What was recorded here is gone from this machine.')
  else if (pending > 0)
    lines.push(
      `${pending} entries wait here, and the log token with them. "fairgate-recorder send" sends them.`,
    )
  return `${lines.join('\n')}\n`
}
