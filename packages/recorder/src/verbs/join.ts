// `join`: uses the ticket of a claim link: gets this laptop's key and log token, sets the repository up, and connects the tools.
import { join } from 'node:path'
import { connectableTools, nameTool } from '@fairgate/contracts/agents/known-tools.ts'
import { judgeUrl, readSecret, readSettings, saveConnection, saveIssuedKey } from '../config/settings.ts'
import type { Refusal } from '../install/files/changes.ts'
import { memberAt, textOf } from '../json/members.ts'
import { createCallLogbook } from '../logbook/call-logbook.ts'
import type { Spool } from '../spool/spool.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { toolNames } from '../tools/tool.ts'
import { splitToolNames } from './change-files.ts'
import { type ConnectReport, runConnect } from './connect.ts'
import { type InstallReport, runInit } from './init.ts'
import { describeLeftToDo, listLeftToDo } from './list-left-to-do.ts'
import { openRepository } from './open-repository.ts'
import type { ProofLine } from './prove-connection.ts'
import type { RunVerb, VerbContext } from './verb.ts'

const longestMs = 30_000

type Joined = {
  readonly team: string
  readonly teamId: string
  readonly name: string
  readonly key: string
  readonly token: string
  readonly gatewayUrl: string
  readonly logbookUrl: string
}

export const runJoin: RunVerb = async (context, { positionals, flags }) => {
  const ticketUrl = readTicketUrl(positionals[0])
  const tools = splitTools(flags.tools)
  // Checked before the ticket is used, because it works only once.
  const open = openRepository(context)
  const { spool } = open
  const joined = await useTicket(context, ticketUrl, readLaptop(spool, context))
  // Saved first, because later steps can fail and be repeated without the ticket.
  saveConnection(spool, readSettings(spool), { logbookUrl: joined.logbookUrl, token: joined.token })
  saveIssuedKey(spool, joined.gatewayUrl, joined.key)

  const common = { yes: '', json: '' }
  const setUp = await runStep<InstallReport>(context, joined.token, inner =>
    runInit(inner, {
      positionals: [],
      flags: { ...common, ...tools.init, url: joined.logbookUrl, 'token-stdin': '' },
    }),
  )
  const connected = await runStep<ConnectReport>(context, joined.key, inner =>
    runConnect(inner, {
      positionals: [],
      flags: { ...common, ...tools.connect, gateway: joined.gatewayUrl, 'key-stdin': '' },
    }),
  )
  const problems = [...listInstallProblems(setUp), ...listConnectProblems(connected)]
  const steps = [...problems, ...(await listLeftToDo(open, context))]
  const { teamId: team_id, team, name } = joined
  context.print(
    flags.json === undefined
      ? `${[describeDone(joined, setUp.report, connected.report), '', ...describeLeftToDo(steps)].join('\n')}\n`
      : `${JSON.stringify({ team_id, team, name, init: setUp.report, connect: connected.report, steps })}\n`,
  )
  return setUp.code === 0 && connected.code === 0 ? 0 : 1
}

function readTicketUrl(text: string | undefined): { readonly door: string; readonly path: string } {
  const match = /^(https?:\/\/.+)(\/join\/t\/jt_\w+)$/.exec(text ?? '')
  const [, door = '', path = ''] = match ?? []
  const judgement = judgeUrl(door)
  if (match === null || !judgement.isUsable)
    throw new UserFailure("Pass the ticket address. Your team's page shows the full command to paste.", 2)
  return { door, path }
}

/** Splits the named tools between both steps. Throws UserFailure for a name that neither step knows. */
function splitTools(named: string | undefined): { readonly init: Tools; readonly connect: Tools } {
  if (named === undefined) return { init: {}, connect: {} }
  if (named === 'all') return { init: { tools: named }, connect: { tools: named } }
  const names = splitToolNames(named, [...new Set([...toolNames, ...connectableTools])])
  const recorded = names.filter(name => toolNames.some(known => known === name))
  const connectable = names.filter(name => connectableTools.some(known => known === name))
  const some = (list: readonly string[]): Tools => (list.length === 0 ? {} : { tools: list.join(',') })
  return { init: some(recorded), connect: some(connectable) }
}

type Tools = { readonly tools?: string }

/**
 * Returns this repository's random secret, generated once. With it the ticket returns the same secrets again after a lost reply, but
 * nothing to anyone else who has seen the command.
 */
function readLaptop(spool: Spool, { randomBytes }: Pick<VerbContext, 'randomBytes'>): string {
  const path = join(spool.layout.folder, 'laptop')
  const stored = readSecret(spool.files, path) ?? ''
  if (/^[0-9a-f]{64}$/.test(stored)) return stored
  const made = randomBytes(32).toString('hex')
  spool.writeAtomically(path, `${made}\n`)
  return made
}

async function useTicket(
  { environment }: VerbContext,
  { door, path }: ReturnType<typeof readTicketUrl>,
  laptop: string,
): Promise<Joined> {
  const call = await createCallLogbook(door, null, environment)
  const reply = await call({ method: 'POST', path, body: JSON.stringify({ laptop }), timeoutMs: longestMs })
  if (reply.kind !== 'reply')
    throw new UserFailure(
      `The gateway ${door} cannot be reached: ${reply.message}. Run the command again; nothing is lost.`,
    )
  const joined = reply.status === 200 ? readJoined(reply.body) : null
  if (joined !== null) return joined
  const error = memberAt(reply.body, 'error')
  const message = textOf(error, 'message') ?? `${door} answered ${reply.status}, not as a gateway.`
  throw new UserFailure(reply.status >= 500 ? `${message} Run the command again; nothing is lost.` : message)
}

function readJoined(body: unknown): Joined | null {
  const [teamId, name, key, token] = ['team_id', 'name', 'key', 'log_token'].map(member =>
    textOf(body, member),
  )
  const [gatewayUrl, logbookUrl] = ['gateway_url', 'logbook_url'].map(member => textOf(body, member))
  if (!teamId || !name || !key || !token || !gatewayUrl || !logbookUrl) return null
  return { team: textOf(body, 'team_alias') ?? teamId, teamId, name, key, token, gatewayUrl, logbookUrl }
}

type Step<Report> = {
  readonly code: number
  /** null if the verb refused; `refusal` has the reason. */
  readonly report: Report | null
  readonly refusal: string | null
}

/** Runs another verb that reads a secret. If it refuses, the next one still runs. */
async function runStep<Report>(
  context: VerbContext,
  secret: string,
  run: (inner: VerbContext) => Promise<number>,
): Promise<Step<Report>> {
  const printed: string[] = []
  const terminal = { ...context.terminal, isInteractive: false, readAll: async () => secret }
  try {
    const code = await run({ ...context, terminal, print: text => void printed.push(text) })
    return { code, report: JSON.parse(printed.join('')) as Report, refusal: null }
  } catch (thrown) {
    if (!(thrown instanceof UserFailure)) throw thrown
    return { code: 1, report: null, refusal: thrown.message }
  }
}

function listInstallProblems({ report, refusal }: Step<InstallReport>): string[] {
  if (report === null) return [`${refusal} Then run "fairgate-recorder init" again.`]
  return [...report.refused.map(describeRefusal), ...report.warnings]
}

function listConnectProblems({ report, refusal }: Step<ConnectReport>): string[] {
  if (report === null) return [`No tools were connected to the gateway: ${refusal}`]
  const failed = report.lines.filter(({ state }) => state === 'failed')
  return [
    ...report.refused.map(describeRefusal),
    ...report.warnings,
    ...failed.map(({ name, detail }) => `The test of the ${name} failed: ${detail}`),
    ...report.notes,
  ]
}

function describeRefusal({ path, reason }: Refusal): string {
  return `${path} was left as it is: ${reason}`
}

/** Summarises the completed steps in one line. */
function describeDone(
  { team, name, gatewayUrl }: Joined,
  setUp: InstallReport | null,
  connected: ConnectReport | null,
): string {
  const listTools = (tools: readonly string[]) => tools.map(tool => nameTool(tool)).join(', ')
  const hasWorked = (line: ProofLine['name']) =>
    connected?.lines.some(each => each.name === line && each.state === 'ok') === true
  const done = [
    'key and log token created',
    ...(setUp === null ? [] : [`hooks of ${listTools(setUp.tools)} added`]),
    ...(connected === null || connected.tools.length === 0
      ? []
      : [`${listTools(connected.tools)} connected to ${gatewayUrl} with ${connected.model}`]),
    ...(hasWorked('model call') ? ['a test call answered'] : []),
    ...(hasWorked('log') ? ['a test entry logged'] : []),
  ]
  return `You are in team ${team} as ${name}. Done: ${done.join(', ')}.`
}
