// `disconnect`: restores how the tools of this repository call models, and removes the gateway key.
import { readGateway, removeGateway } from '../config/settings.ts'
import { planDisconnection, revertConnection } from '../connect/connection-files.ts'
import { confirmChanges, describeRefusal, writeDiffs } from './change-files.ts'
import { openRepository } from './open-repository.ts'
import type { RunVerb } from './verb.ts'

export const runDisconnect: RunVerb = async (context, { flags }) => {
  const { spool } = openRepository(context)
  const own = { files: context.workFiles, spool, home: context.home }
  const isJson = flags.json !== undefined
  const stored = readGateway(spool)
  const plans = planDisconnection(own, true)
  if (flags['dry-run'] !== undefined) {
    const diffs = writeDiffs(plans, spool)
    context.print(isJson ? `${JSON.stringify({ diffs })}\n` : diffs.join(''))
    return 0
  }
  const paths = plans.map(({ path }) => path)
  await confirmChanges(context, flags, 'These files will be restored', paths)
  const { restored, refused } = revertConnection(own, true)
  if (refused.length === 0) removeGateway(spool)
  const lines = [
    ...restored.map(path => `restored  ${path}`),
    ...refused.map(describeRefusal),
    ...(stored === null && plans.length === 0 ? ['Nothing is connected here.'] : []),
  ]
  if (stored !== null && refused.length === 0) lines.push('The gateway key was removed from this repository.')
  context.print(isJson ? `${JSON.stringify({ restored, refused })}\n` : `${lines.join('\n')}\n`)
  return refused.length > 0 ? 1 : 0
}
