// `disconnect`: the tools of this repository call models as before, and the gateway key is gone.
import { hideKey, readGateway, removeGateway } from '../config/settings.ts'
import { planDisconnection, revertConnection } from '../connect/connection-files.ts'
import { writeDiff } from '../install/files/unified-diff.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { openRepository } from './open-repository.ts'
import type { RunVerb } from './verb.ts'

export const runDisconnect: RunVerb = async (context, { flags }) => {
  const { spool } = openRepository(context)
  const own = { files: context.workFiles, spool, home: context.home }
  const isJson = flags.json !== undefined
  const stored = readGateway(spool)
  const plans = planDisconnection(own, true)
  if (flags['dry-run'] !== undefined) {
    const diffs = plans.map(({ path, before, after }) => hideKey(writeDiff(path, before, after), spool))
    context.print(isJson ? `${JSON.stringify({ diffs })}\n` : diffs.join(''))
    return 0
  }
  if (flags.yes === undefined && context.terminal.isInteractive && plans.length > 0) {
    context.printError(`These files will be put back:\n${plans.map(({ path }) => `  ${path}\n`).join('')}`)
    if (!/^(?:y|yes|)$/i.test(await context.terminal.ask('Continue? [Y/n] ')))
      throw new UserFailure('Nothing was changed.')
  }
  const { restored, refused } = revertConnection(own, true)
  if (refused.length === 0) removeGateway(spool)
  const lines = [
    ...restored.map(path => `restored  ${path}`),
    ...refused.map(({ path, reason }) => `LEFT AS IT IS  ${path}: ${reason}`),
    ...(stored === null && plans.length === 0 ? ['Nothing was connected here.'] : []),
  ]
  if (stored !== null && refused.length === 0) lines.push('The gateway key is gone from this repository.')
  context.print(isJson ? `${JSON.stringify({ restored, refused })}\n` : `${lines.join('\n')}\n`)
  return refused.length > 0 ? 1 : 0
}
