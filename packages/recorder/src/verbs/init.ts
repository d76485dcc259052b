// `init`: sets up a repository or brings it up to date. Running it again changes nothing.
import { readSettings, saveConnection } from '../config/settings.ts'
import { findRepository } from '../git/find-repository.ts'
import { detectTools } from '../install/detect-tools.ts'
import { isChanged, type Refusal, readManifest } from '../install/files/changes.ts'
import type { HookRoute } from '../install/git-hooks/choose-route.ts'
import { listInstalledTools } from '../install/inspect/judge-tool.ts'
import { type InstallPlan, planInstall } from '../install/plan-install.ts'
import { launcherPath } from '../install/program/launcher.ts'
import { runInstall } from '../install/run-install.ts'
import type { TokenCheck } from '../logbook/read-page.ts'
import { layOut, recorderFolder } from '../spool/layout.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { type ToolName, toolNames } from '../tools/tool.ts'
import { askConnection, type Connection } from './ask-connection.ts'
import { confirmChanges, describeRefusal, splitToolNames, writeDiffs } from './change-files.ts'
import { describeLeftToDo, listLeftToDo } from './list-left-to-do.ts'
import { openRepository } from './open-repository.ts'
import type { RunVerb, VerbContext } from './verb.ts'

export const runInit: RunVerb = async (context, { flags }) => {
  const repository = findRepository(context.workingFolder, context.readText)
  if (repository === null) throw new UserFailure('This is not a git work tree. Go to your repository first.')
  const { workFiles: files, platform, home } = context
  const runGit = await context.loadGit()
  const layout = layOut(recorderFolder(repository.commonFolder))
  const manifest = readManifest({ files: context.files, layout })
  const installed = listInstalledTools(manifest, repository.root)
  const chosen = chooseTools(context, repository.root, flags.tools, installed)
  const launcher = launcherPath(layout.folder)
  const plan = planInstall(chosen, {
    repository,
    runGit,
    files,
    launcher,
    platform,
    home,
    environment: context.environment,
    withSubfolders: flags.subfolders !== undefined,
  })
  const isDry = flags['dry-run'] !== undefined
  const stored = readSettings({ files: context.files, layout })
  const connection = isDry
    ? { ...stored, check: null, warning: null }
    : await askConnection(context, flags, stored)
  const changed = plan.changes.filter(isChanged)
  const changedPaths = changed.map(({ path }) => path)
  if (!isDry) {
    await confirmChanges(context, flags, 'These files will be changed', changedPaths)
    const { spool } = openRepository(context)
    saveConnection(spool, stored, connection)
    const [runtime, file] = context.command
    const program = { runtime, file: file === undefined ? null : files.resolve(file) }
    runInstall(plan, { repository, runGit, files, spool, program, home, platform })
  }
  const report: InstallReport = {
    tools: chosen,
    changed: changedPaths,
    refused: plan.refused,
    git: plan.route.kind,
    logbook: connection.check?.state ?? 'not set',
    team: connection.check?.state === 'accepted' ? connection.check.teamId : null,
    warnings: listWarnings(plan, connection),
    steps: isDry ? [] : await listLeftToDo(openRepository(context), context),
  }
  const diffs = isDry ? writeDiffs(changed, { files: context.files, layout }) : []
  if (flags.json !== undefined) context.print(`${JSON.stringify(isDry ? { ...report, diffs } : report)}\n`)
  else context.print(`${diffs.join('')}${describeInstall(report, isDry)}`)
  return plan.refused.length > 0 ? 1 : 0
}

/** `named` is the value of `--tools`. The tools in `installed` were set up here before, and their hooks may be gone. Throws UserFailure. */
function chooseTools(
  context: VerbContext,
  root: string,
  named: string | undefined,
  installed: readonly ToolName[],
): ToolName[] {
  const { home, readText, environment, workFiles } = context
  if (named === 'all') return [...toolNames]
  if (named !== undefined) {
    const names = splitToolNames(named, toolNames)
    return toolNames.filter(name => names.includes(name))
  }
  const detected = detectTools({ root, home, readText, environment, exists: workFiles.exists })
  const found = toolNames.filter(name => detected.includes(name) || installed.includes(name))
  if (found.length === 0)
    throw new UserFailure(`No AI tool was found. Choose one with --tools: ${toolNames.join(',')}, or all.`)
  return found
}

export type InstallReport = {
  readonly tools: readonly ToolName[]
  /** Files that were changed, or would be. */
  readonly changed: readonly string[]
  readonly refused: readonly Refusal[]
  /** How git starts the recorder. */
  readonly git: HookRoute['kind']
  readonly logbook: TokenCheck['state'] | 'not set'
  /** The team of the log token, if the logbook says so. */
  readonly team: string | null
  readonly warnings: readonly string[]
  /** What is left to do; none after a preview. */
  readonly steps: readonly string[]
}

export function listWarnings(
  { tracked }: Pick<InstallPlan, 'tracked'>,
  { check, warning }: Pick<Connection, 'check' | 'warning'>,
): string[] {
  const warnings = tracked.map(
    path => `${path} is under version control: the addition does nothing on machines without the recorder`,
  )
  if (check?.state === 'unknown') warnings.push(`the log token could not be checked: ${check.message}`)
  if (warning !== null) warnings.push(warning)
  return warnings
}

const routeNames: Readonly<Record<HookRoute['kind'], string>> = {
  config: 'a hook in the configuration of git',
  file: 'lines in a hook file',
  chain: 'a hook that also starts the one that was there',
  lefthook: 'a command in lefthook-local.yml',
  manual: 'nothing yet',
}

export function describeInstall(report: InstallReport, isDry: boolean): string {
  const { tools, changed, refused, git, logbook, team, warnings, steps } = report
  const accepted = `the log token is accepted${team === null ? '' : `: team ${team}`}`
  const lines = [
    `tools    ${tools.join(', ')}`,
    `git      ${routeNames[git]}`,
    `logbook  ${logbook === 'accepted' ? accepted : logbook === 'unknown' ? 'not checked' : 'not set'}`,
    ...(changed.length === 0
      ? ['files    nothing to change']
      : changed.map(path => `${isDry ? 'would change' : 'changed'}  ${path}`)),
    ...refused.map(describeRefusal),
    ...warnings.map(warning => `warning  ${warning}`),
  ]
  if (!isDry) lines.push('', ...describeLeftToDo(steps))
  return `${lines.join('\n')}\n`
}
