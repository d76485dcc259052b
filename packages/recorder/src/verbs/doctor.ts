// `doctor`: checks an installation piece by piece. With `--test` it also runs every hook once, with the command that the tool would run.
import { readSettings, tokenPath } from '../config/settings.ts'
import { isWithin } from '../connect/plan-connection.ts'
import type { Repository } from '../git/find-repository.ts'
import { mayBeCommitted } from '../git/may-be-committed.ts'
import { readFacts } from '../git/read-facts.ts'
import type { RunGit } from '../git/run-git.ts'
import { detectTools } from '../install/detect-tools.ts'
import { hasBlock } from '../install/files/marked-block.ts'
import type { WorkFiles } from '../install/files/work-files.ts'
import { chooseRoute } from '../install/git-hooks/choose-route.ts'
import { readGitSetup } from '../install/git-hooks/git-setup.ts'
import { hookCommandLine } from '../install/git-hooks/hook-lines.ts'
import { type Finding, readInstalledCommands, type ToolState } from '../install/inspect/judge-tool.ts'
import { buildTrialPayload } from '../install/inspect/synthetic-payload.ts'
import { judgeTrial, tryHook } from '../install/inspect/try-hook.ts'
import { launcherPath } from '../install/program/launcher.ts'
import { configHook } from '../install/run-install.ts'
import { createCallLogbook } from '../logbook/call-logbook.ts'
import { checkToken, type TokenCheck } from '../logbook/check-token.ts'
import { compareClocks, describeClock } from '../logbook/compare-clocks.ts'
import { type Identity, identifyLogbook } from '../logbook/identify-logbook.ts'
import type { Spool } from '../spool/spool.ts'
import type { ToolName } from '../tools/tool.ts'
import { missingEmail } from './describe-install.ts'
import { inspectGateway } from './inspect-gateway.ts'
import { type OpenRepository, openRepository } from './open-repository.ts'
import { readRecords } from './read-records.ts'
import { summarizeTools, type ToolSummary } from './summarize-tools.ts'
import type { RunVerb, VerbContext } from './verb.ts'

export const runDoctor: RunVerb = async (context, { flags }) => {
  const open = openRepository(context)
  const { repository, spool } = open
  const { root } = repository
  const { home, readText, environment, workFiles, platform } = context
  const found = detectTools({ root, home, readText, environment, exists: workFiles.exists })
  const summaries = summarizeTools(readRecords(open).entries, root, spool, context)
  const shown = summaries.filter(({ tool, state }) => found.includes(tool) || state === 'gone')
  const used = shown.map(({ tool }) => tool)
  const facts = await readFacts(repository, context)
  const findings: Finding[] = [
    facts === null
      ? { name: 'origin', state: 'failed', detail: 'there is no remote named origin: nothing is recorded' }
      : { name: 'origin', state: 'ok', detail: facts.repo },
    ...(facts?.student === ''
      ? [{ name: 'user.email', state: 'warning' as const, detail: missingEmail }]
      : []),
    ...inspectProgram(spool.layout.folder, workFiles, platform, process.version),
    inspectGitHook(repository, await context.loadGit(), workFiles),
    ...shown.map(describeTool),
    ...findCommittable(shown, open, await context.loadGit(), workFiles),
    ...(used.length === 0 ? [noTool] : []),
    ...(await inspectConnection(spool, context)),
    ...(await inspectGateway(open, await context.loadGit(), context)),
    ...(flags.test === undefined ? [] : await tryHooks(used, context, root)),
  ]
  context.print(flags.json === undefined ? describe(findings) : `${JSON.stringify({ findings })}\n`)
  return findings.some(({ state }) => state === 'failed') ? 1 : 0
}

/** What each state means for the entries. */
const severities: Readonly<Record<ToolState, Finding['state']>> = {
  ok: 'ok',
  unseen: 'warning',
  'no hooks': 'warning',
  'not trusted': 'warning',
  gone: 'failed',
  incomplete: 'failed',
  elsewhere: 'failed',
  unreadable: 'failed',
  'switched off': 'failed',
}

function describeTool({ tool, state, reason, installedIn, isProven }: ToolSummary): Finding {
  const noHooks = 'is used here but has no hooks: run "fairgate-recorder init"'
  const place = installedIn === null || isProven ? installedIn : `${installedIn} (${unproven})`
  return { name: tool, state: severities[state], detail: reason ?? place ?? noHooks }
}

/** Hooks that name this machine fail on every other one. */
function findCommittable(
  summaries: readonly ToolSummary[],
  { repository: { root }, spool }: OpenRepository,
  runGit: RunGit,
  files: WorkFiles,
): Finding[] {
  const launcher = launcherPath(spool.layout.folder)
  return summaries.flatMap(({ tool, installedIn: path }): Finding[] => {
    if (path === null || !isWithin(root, path) || !(files.read(path) ?? '').includes(launcher)) return []
    if (!mayBeCommitted(root, path, true, runGit)) return []
    const detail = `git would commit ${path}, whose hooks name this machine: run "fairgate-recorder init"`
    return [{ name: tool, state: 'warning', detail }]
  })
}

const unproven = 'not proven: no event has come since it was changed'

const noTool: Finding = { name: 'tools', state: 'warning', detail: 'no AI tool was found here' }

async function inspectConnection(
  spool: Spool,
  { workFiles, platform, environment, now }: VerbContext,
): Promise<Finding[]> {
  const { logbookUrl, token } = readSettings(spool)
  const missing = 'is not set: run "fairgate-recorder init"'
  if (logbookUrl === null) return [{ name: 'logbook', state: 'failed', detail: `its address ${missing}` }]
  if (token === null) return [{ name: 'token', state: 'failed', detail: missing }]
  const mode = (workFiles.modeOf(tokenPath(spool.layout)) ?? 0) & 0o777
  const isOpen = platform !== 'win32' && (mode & 0o077) !== 0
  const clocks = compareClocks(await createCallLogbook(logbookUrl, null, environment), () => now().getTime())
  const identity = await identifyLogbook(clocks.call)
  const clock = describeClock(clocks.behindMs() ?? 0)
  const check =
    identity.kind === 'logbook'
      ? await checkToken(await createCallLogbook(logbookUrl, token, environment))
      : null
  return [
    isOpen
      ? { name: 'token', state: 'failed', detail: `others can read ${tokenPath(spool.layout)}: chmod 600` }
      : { name: 'token', state: 'ok', detail: 'stored for you alone' },
    { name: 'logbook', ...judgeLogbook(logbookUrl, identity, check) },
    ...(clock === null ? [] : [{ name: 'clock', state: 'warning' as const, detail: clock }]),
  ]
}

function judgeLogbook(url: string, identity: Identity, check: TokenCheck | null): Omit<Finding, 'name'> {
  if (identity.kind === 'other') return { state: 'failed', detail: `${url} ${identity.what}` }
  if (identity.kind === 'silent') return { state: 'warning', detail: `${url}: ${identity.message}` }
  if (check === null || check.state === 'unknown')
    return { state: 'warning', detail: `${url}: ${check?.message ?? 'not asked'}` }
  if (check.state === 'refused') return { state: 'failed', detail: `${url} does not know the log token` }
  return { state: 'ok', detail: check.teamId === null ? url : `${url}, team ${check.teamId}` }
}

async function tryHooks(used: readonly ToolName[], context: VerbContext, root: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const tool of used) {
    for (const [event, command] of Object.entries(readCommands(tool, context, root))) {
      if (command === null) continue
      const trial = await tryHook(command, root, scratch =>
        buildTrialPayload(tool, event, scratch, context.now()),
      )
      findings.push(judgeTrial(`${tool} ${event}`, trial))
    }
  }
  return findings
}

/** Unreadable settings have already been reported. */
function readCommands(
  tool: ToolName,
  { home, readText, environment }: VerbContext,
  root: string,
): Record<string, string | null> {
  try {
    return readInstalledCommands(tool, { root, home, readText, environment })?.commands ?? {}
  } catch {
    return {}
  }
}

function describe(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  const lines = findings.map(
    ({ name, state, detail }) => `${state.padEnd(8)} ${name.padEnd(width)}  ${detail}`,
  )
  const failed = findings.filter(({ state }) => state === 'failed').length
  const warned = findings.filter(({ state }) => state === 'warning').length
  return `${lines.join('\n')}\n\n${conclude(failed, warned)}\n`
}

function conclude(failed: number, warned: number): string {
  if (failed + warned === 0) return 'Nothing prevents recording.'
  const parts = [`${failed} to fix`, `${warned} to look at: not everything may be recorded`]
  return `${parts.filter((_, index) => (index === 0 ? failed : warned) > 0).join(', ')}.`
}

/** Whether a push starts the recorder. */
function inspectGitHook(repository: Repository, runGit: RunGit, files: WorkFiles): Finding {
  const of = (state: Finding['state'], detail: string): Finding => ({ name: 'pre-push', state, detail })
  const setup = readGitSetup(repository, runGit, files)
  if (setup === null) return of('failed', 'git cannot be started')
  const route = chooseRoute(setup)
  const again = 'run "fairgate-recorder init"'
  switch (route.kind) {
    case 'config': {
      const command = runGit(repository.root, ['config', '--get', `${configHook}.command`])
      if (command !== hookCommandLine)
        return of('failed', `the configuration of git has no hook of ours: ${again}`)
      const enabled = runGit(repository.root, ['config', '--get', `${configHook}.enabled`])
      return enabled === 'false'
        ? of('failed', `${configHook}.enabled is false`)
        : of('ok', `${configHook} in git's configuration`)
    }
    case 'manual':
      return of('warning', `${route.reason}: put this line into the hook there: ${hookCommandLine}`)
    case 'chain':
      return of('failed', `${route.path} does not start the recorder: ${again}`)
    default: {
      if (!hasBlock(files.read(route.path) ?? ''))
        return of('failed', `${route.path} does not start the recorder: ${again}`)
      const isProgram = route.kind === 'file' && process.platform !== 'win32'
      if (isProgram && ((files.modeOf(route.path) ?? 0) & 0o111) === 0)
        return of('failed', `${route.path} is not executable: ${again}`)
      if (route.kind === 'lefthook' && setup.hook === null)
        return of('failed', 'lefthook has no pre-push hook yet: run "lefthook install"')
      return of('ok', route.path)
    }
  }
}

/** Whether the program that the hooks name can be started. */
const oldestNode = 18

function inspectProgram(
  recorderFolder: string,
  files: WorkFiles,
  platform: string,
  nodeVersion: string,
): Finding[] {
  const launcher = launcherPath(recorderFolder)
  const text = files.read(launcher)
  const of = (state: Finding['state'], detail: string): Finding => ({ name: 'program', state, detail })
  if (text === null) return [of('failed', `${launcher} is missing: run "fairgate-recorder init"`)]
  if (platform !== 'win32' && ((files.modeOf(launcher) ?? 0) & 0o111) === 0)
    return [of('failed', `${launcher} is not executable: run "fairgate-recorder init"`)]
  const pathsOf = (names: string) =>
    [...text.matchAll(new RegExp(`^(?:${names})=(?:'([^']*)'|(\\S+))$`, 'gm'))].map(
      match => match[1] ?? match[2] ?? '',
    )
  const standAlone = pathsOf('program')
  const paths = standAlone.length > 0 ? standAlone : pathsOf('recorder|runtime')
  const gone = paths.filter(path => !files.exists(path))
  if (gone.length > 0)
    return [
      of(
        'warning',
        `${gone.join(' and ')} ${gone.length === 1 ? 'is' : 'are'} gone: run "fairgate-recorder init"`,
      ),
    ]
  if (standAlone.length > 0) return [of('ok', `${launcher} starts the stand-alone program ${paths[0]}`)]
  const isFleeting = paths.some(path => /[/\\](?:_npx|bunx-[^/\\]*)[/\\]/.test(path))
  const major = Number(/^v?(\d+)/.exec(nodeVersion)?.[1] ?? 0)
  return [
    isFleeting
      ? of(
          'warning',
          `${paths[0]} is in a folder that is cleared now and then: install the recorder properly`,
        )
      : of('ok', paths.length < 2 ? launcher : `${launcher} starts ${paths[0]} with ${paths[1]}`),
    {
      name: 'node',
      state: major >= oldestNode ? 'ok' : 'failed',
      detail: `${nodeVersion}; ${oldestNode} or newer is needed`,
    },
  ]
}
