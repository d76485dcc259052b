// `doctor`: checks an installation piece by piece. With `--test` it also runs every hook once, with the command that the tool would run.
import { readSettings, tokenPath } from '../config/settings.ts'
import { readFacts } from '../git/read-facts.ts'
import { detectTools } from '../install/detect-tools.ts'
import { type Finding, readInstalledCommands, type ToolState } from '../install/inspect/judge-tool.ts'
import { buildTrialPayload } from '../install/inspect/synthetic-payload.ts'
import { judgeTrial, tryHook } from '../install/inspect/try-hook.ts'
import { createCallLogbook } from '../logbook/call-logbook.ts'
import { compareClocks, describeClock } from '../logbook/compare-clocks.ts'
import { type Identity, identifyDoor } from '../logbook/identify-door.ts'
import { checkToken, type TokenCheck } from '../logbook/read-page.ts'
import type { Spool } from '../spool/spool.ts'
import type { ToolName } from '../tools/tool.ts'
import { inspectGateway } from './inspect-gateway.ts'
import { findCommittable, inspectGitHook, inspectProgram } from './inspect-installation.ts'
import { missingEmail } from './list-left-to-do.ts'
import { openRepository, readRecords } from './open-repository.ts'
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

/** Severity of each tool state. */
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

const unproven = 'not proven: no event since the last change'

const noTool: Finding = { name: 'tools', state: 'warning', detail: 'no AI tool found here' }

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
  const identity = await identifyDoor(clocks.call, 'logbook')
  const clock = describeClock(clocks.behindMs() ?? 0)
  const check =
    identity.kind === 'wanted'
      ? await checkToken(await createCallLogbook(logbookUrl, token, environment))
      : null
  return [
    isOpen
      ? { name: 'token', state: 'failed', detail: `others can read ${tokenPath(spool.layout)}: chmod 600` }
      : { name: 'token', state: 'ok', detail: 'stored, readable only by you' },
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
