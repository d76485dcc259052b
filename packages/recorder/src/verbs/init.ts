// `init`: sets up a repository or brings it up to date. Running it again changes nothing.
import { readSettings, saveConnection } from '../config/settings.ts'
import { findRepository } from '../git/find-repository.ts'
import { detectTools } from '../install/detect-tools.ts'
import { readManifest } from '../install/files/manifest.ts'
import { isChanged } from '../install/files/planned-change.ts'
import { listInstalledTools } from '../install/inspect/installed-tools.ts'
import { planInstall } from '../install/plan-install.ts'
import { launcherPath } from '../install/program/launcher.ts'
import { runInstall } from '../install/run-install.ts'
import { layOut, recorderFolder } from '../spool/layout.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { type ToolName, toolNames } from '../tools/tool.ts'
import { askConnection } from './ask-connection.ts'
import { confirmChanges, splitToolNames, writeDiffs } from './change-files.ts'
import { describeInstall, type InstallReport, listWarnings } from './describe-install.ts'
import { listLeftToDo } from './list-left-to-do.ts'
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
    throw new UserFailure(`No AI tool was found. Name yours with --tools: ${toolNames.join(',')}, or all.`)
  return found
}
