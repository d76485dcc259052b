// `uninstall`: restores every file in all work trees of the repository, and says which these are. Waiting entries are kept unless a
// flag gives them up.
import { dirname, join, sep } from 'node:path'
import { removeGateway, removeToken } from '../config/settings.ts'
import { listSharedFiles, planDisconnection, revertConnection } from '../connect/connection-files.ts'
import type { ReadText, Repository } from '../git/find-repository.ts'
import { readManifest } from '../install/files/changes.ts'
import { planReverts } from '../install/files/revert-change.ts'
import { runUninstall } from '../install/run-install.ts'
import { layOut } from '../spool/layout.ts'
import { listPending } from '../spool/pending.ts'
import { listRejected } from '../spool/rejected.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { describeRefusal, writeDiffs } from './change-files.ts'
import { type OpenRepository, openRepository } from './open-repository.ts'
import type { RunVerb, VerbContext } from './verb.ts'

export const runUninstallVerb: RunVerb = async (context, { flags }) => {
  const open = openRepository(context)
  const { repository, spool, fallbackFolder } = open
  const fallback = layOut(fallbackFolder)
  const pending =
    listPending(spool).length +
    listPending({ files: spool.files, layout: fallback }).length +
    listRejected(spool).length
  const dependencies = { repository, runGit: await context.loadGit(), files: context.workFiles, spool }
  const isJson = flags.json !== undefined
  const workTrees = findMet(context, open)
  const own = { files: context.workFiles, spool, home: context.home }
  if (flags['dry-run'] !== undefined) {
    const plans = joinPlans(planDisconnection(own, false), after =>
      planReverts(readManifest(spool).files, context.workFiles, after),
    )
    const diffs = writeDiffs(plans, spool)
    context.print(
      isJson
        ? `${JSON.stringify({ pending, workTrees, diffs })}\n`
        : `${diffs.join('')}${describeMet(workTrees, repository.root)}`,
    )
    return 0
  }
  if (flags.purge !== undefined && pending > 0 && flags.force === undefined) {
    throw new UserFailure(
      `${pending} entries have not reached the logbook. Send them first ("fairgate-recorder send"), or add --force to lose them.`,
    )
  }
  if (!(await isWanted(context, workTrees, repository.root, flags)))
    throw new UserFailure('Nothing was changed.')
  // The connection first: its notes know the texts that the hooks made.
  const disconnected = revertConnection(own, false)
  if (disconnected.refused.length === 0) removeGateway(spool)
  const uninstalled = runUninstall(dependencies)
  const restored = [...new Set([...disconnected.restored, ...uninstalled.restored])]
  const refused = [...disconnected.refused, ...uninstalled.refused]
  const isPurged = flags.purge !== undefined && refused.length === 0
  if (isPurged) for (const { folder } of [spool.layout, fallback]) context.workFiles.removeFolder(folder)
  else if (pending === 0) removeToken(spool)
  const report = {
    workTrees,
    restored,
    refused,
    pending: isPurged ? 0 : pending,
    purged: isPurged,
    connected: listSharedFiles(own),
  }
  context.print(
    isJson ? `${JSON.stringify(report)}\n` : `${describeMet(workTrees, repository.root)}${describe(report)}`,
  )
  return refused.length > 0 ? 1 : 0
}

type PlannedRevert = ReturnType<typeof planReverts>[number]

/** A file that holds both hooks and connection loses one after the other, and is shown once. */
function joinPlans(
  disconnected: readonly PlannedRevert[],
  planRest: (after: ReadonlyMap<string, string | null>) => readonly PlannedRevert[],
): PlannedRevert[] {
  const rest = planRest(new Map(disconnected.map(({ path, after }) => [path, after])))
  const joined = disconnected.map(plan => ({
    ...plan,
    after: rest.find(({ path }) => path === plan.path)?.after ?? plan.after,
  }))
  return [...joined, ...rest.filter(({ path }) => !disconnected.some(plan => plan.path === path))]
}

/** The work trees that lose hooks, which are those where something was installed. They all share the git hook. */
function findMet({ readText }: VerbContext, { repository, spool }: OpenRepository): string[] {
  const paths = readManifest(spool).files.map(({ path }) => path)
  const isIn = (root: string, path: string) =>
    path.startsWith(`${root}${sep}`) && !path.includes(`${sep}.git${sep}`)
  return listWorkTrees(repository, spool.files.list, readText).filter(root =>
    paths.some(path => isIn(root, path)),
  )
}

/** No lines if only the work tree of the command is affected. */
function describeMet(workTrees: readonly string[], here: string): string {
  const others = workTrees.filter(root => root !== here)
  if (others.length === 0) return ''
  const lines = others.map(root => `  ${root}\n`).join('')
  return `All work trees of this repository share the recorder. Besides ${here}, this affects:\n${lines}`
}

/** Asks only if a person is there and other work trees are affected too. */
async function isWanted(
  context: VerbContext,
  workTrees: readonly string[],
  here: string,
  flags: Readonly<Record<string, string>>,
): Promise<boolean> {
  const text = describeMet(workTrees, here)
  if (flags.yes !== undefined || !context.terminal.isInteractive || text === '') return true
  context.printError(text)
  return /^y(?:es)?$/i.test(await context.terminal.ask('Uninstall in all of them? [y/N] '))
}

function describe(report: {
  restored: readonly string[]
  refused: readonly { path: string; reason: string }[]
  pending: number
  purged: boolean
  connected: readonly string[]
}): string {
  const { restored, refused, pending, purged, connected } = report
  const lines = [...restored.map(path => `restored  ${path}`), ...refused.map(describeRefusal)]
  if (restored.length + refused.length === 0) lines.push('Nothing was installed here.')
  for (const path of connected)
    lines.push(
      `${path} still leads to the gateway, for all repositories: "fairgate-recorder disconnect" restores it.`,
    )
  if (purged) lines.push('The entries recorded here were removed from this machine.')
  else if (pending > 0)
    lines.push(
      `${pending} entries wait here, and the log token with them. "fairgate-recorder send" sends them.`,
    )
  return `${lines.join('\n')}\n`
}

/** The tops of all work trees, the main one first, including those whose folder is gone. */
function listWorkTrees(
  { root, gitFolder, commonFolder }: Repository,
  list: (path: string) => string[],
  readText: ReadText,
): string[] {
  const folder = join(commonFolder, 'worktrees')
  const linked = list(folder)
    .sort()
    .flatMap(name => readText(join(folder, name, 'gitdir'))?.trim() || [])
    .map(path => dirname(path))
  // A bare repository has no main work tree, and where `.git` is a file only git itself knows.
  const main = gitFolder === commonFolder ? root : dirname(commonFolder)
  const isMain = gitFolder === commonFolder || readText(join(main, '.git', 'HEAD')) !== null
  return [...new Set([...(isMain ? [main] : []), ...linked, root])]
}
