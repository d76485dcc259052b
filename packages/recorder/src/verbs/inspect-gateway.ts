// Gateway checks of `doctor`: settings still name the gateway, it accepts the key, and the key can call the model.

import { connectableTools } from '@fairgate/contracts/agents/known-tools.ts'
import { keyPath, readGateway, type StoredGateway } from '../config/settings.ts'
import { connections } from '../connect/connections.ts'
import { isWithin, planConnection } from '../connect/plan-connection.ts'
import { checkKey, listModels } from '../gateway/ask-gateway.ts'
import type { RunGit } from '../git/run-git.ts'
import { isChanged } from '../install/files/changes.ts'
import type { Finding } from '../install/inspect/judge-tool.ts'
import { createCallLogbook } from '../logbook/call-logbook.ts'
import { identifyDoor } from '../logbook/identify-door.ts'
import { listStronger } from './connect.ts'
import type { OpenRepository } from './open-repository.ts'
import type { VerbContext } from './verb.ts'

const again = 'run "fairgate-recorder connect"'

/** Returns an empty list if nothing is connected. */
export async function inspectGateway(
  open: OpenRepository,
  runGit: RunGit,
  context: VerbContext,
): Promise<Finding[]> {
  const stored = readGateway(open.spool)
  if (stored === null) return []
  return [...inspectSettings(stored, open, runGit, context), await inspectAnswers(stored, context)]
}

/** Checks the settings without using the network. */
export function inspectSettings(
  stored: StoredGateway,
  { repository, spool }: OpenRepository,
  runGit: RunGit,
  context: VerbContext,
): Finding[] {
  const { workFiles, platform, environment } = context
  const keyFile = keyPath(spool.layout)
  const plan = planConnection(
    connectableTools.filter(tool => stored.tools.includes(tool)),
    stored,
    { repository, runGit, files: workFiles, places: { ...context, root: repository.root, keyFile } },
  )
  return plan.tools.map(({ tool, changes, refused }): Finding => {
    const of = (state: Finding['state'], detail: string): Finding => ({
      name: `${tool} calls`,
      state,
      detail,
    })
    const [first] = refused
    if (first !== undefined) return of('failed', `${first.path}: ${first.reason}`)
    const changed = changes.filter(isChanged).map(({ path }) => path)
    if (changed.length > 0)
      return of(
        'failed',
        `${changed.join(' and ')} no longer ${changed.length === 1 ? 'names' : 'name'} the gateway: ${again}`,
      )
    const holders = changes.filter(({ isPrivate }) => isPrivate === true).map(({ path }) => path)
    const readable = holders.find(
      path => platform !== 'win32' && ((workFiles.modeOf(path) ?? 0) & 0o077) !== 0,
    )
    if (readable !== undefined)
      return of('failed', `others can read ${readable}, which holds the key: chmod 600`)
    const [stronger] = listStronger(tool, { environment }, stored)
    if (stronger !== undefined) return of('warning', stronger)
    const seen = holders.find(
      path =>
        isWithin(repository.root, path) && runGit(repository.root, ['check-ignore', '--', path]) === null,
    )
    if (seen !== undefined)
      return of('warning', `git does not ignore ${seen}, which holds your key: do not commit it`)
    return of(
      'ok',
      changes.length === 0
        ? (connections[tool].note ?? 'connected')
        : changes.map(({ path }) => path).join(', '),
    )
  })
}

async function inspectAnswers(
  { url, key, model }: StoredGateway,
  { environment }: VerbContext,
): Promise<Finding> {
  const of = (state: Finding['state'], detail: string): Finding => ({ name: 'gateway', state, detail })
  const identity = await identifyDoor(await createCallLogbook(url, null, environment), 'gateway')
  if (identity.kind === 'other') return of('failed', `${url} ${identity.what}`)
  if (identity.kind === 'silent') return of('warning', `${url}: ${identity.message}`)
  const call = await createCallLogbook(url, key, environment)
  const check = await checkKey(call)
  if (check.state === 'unknown') return of('warning', `${url}: ${check.message}`)
  if (check.state === 'refused')
    return of('failed', `${url} does not accept the key (${check.message}): ${again}`)
  const models = await listModels(call)
  if (models !== null && !models.includes(model))
    return of(
      'failed',
      `this key may not call ${model}: ${again} with --model and one of ${models.slice(0, 10).join(', ')}`,
    )
  return of('ok', `${url}${check.team === null ? '' : `, team ${check.team}`}, model ${model}`)
}
