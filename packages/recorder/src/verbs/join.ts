// `join`: uses the ticket of a claim link: gets this laptop's key and log token, sets the repository up, and connects the tools.
import { join } from 'node:path'
import { connectableTools } from '@fairgate/contracts/agents/known-tools.ts'
import { judgeUrl } from '../config/logbook-url.ts'
import { keyPath, readSettings, saveConnection } from '../config/settings.ts'
import { connections } from '../connect/find-recipe.ts'
import { createCallLogbook } from '../logbook/call-logbook.ts'
import type { Spool } from '../spool/spool.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { toolNames } from '../tools/tool.ts'
import { runConnect } from './connect.ts'
import { runInit } from './init.ts'
import { openRepository } from './open-repository.ts'
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
  // Before the ticket is used: it is good only once.
  const { spool } = openRepository(context)
  const joined = await useTicket(context, ticketUrl, readLaptop(spool, context))
  // First of all: what follows can fail, and can then be done again without the ticket.
  saveConnection(spool, readSettings(spool), { logbookUrl: joined.logbookUrl, token: joined.token })
  spool.writeAtomically(keyPath(spool.layout), joined.key)

  const isJson = flags.json !== undefined
  if (!isJson) context.print(`You are in team ${joined.team} as ${joined.name}.\n\n`)
  const common = { yes: '', ...(isJson ? { json: '' } : {}) }
  const setUp = await runStep(context, joined.token, isJson, inner =>
    runInit(inner, {
      positionals: [],
      flags: { ...common, ...tools.init, url: joined.logbookUrl, 'token-stdin': '' },
    }),
  )
  if (!isJson) context.print('\n')
  const connected = await runStep(context, joined.key, isJson, inner =>
    runConnect(inner, {
      positionals: [],
      flags: { ...common, ...tools.connect, gateway: joined.gatewayUrl, 'key-stdin': '' },
    }),
  )
  const { teamId: team_id, team, name } = joined
  if (isJson)
    context.print(
      `${JSON.stringify({ team_id, team, name, init: setUp.report, connect: connected.report })}\n`,
    )
  else if (connected.code !== 0) context.printError(describeRest(joined, keyPath(spool.layout)))
  return setUp.code === 0 && connected.code === 0 ? 0 : 1
}

function readTicketUrl(text: string | undefined): { readonly door: string; readonly path: string } {
  const match = /^(https?:\/\/.+)(\/join\/t\/jt_\w+)$/.exec(text ?? '')
  const [, door = '', path = ''] = match ?? []
  const judgement = judgeUrl(door)
  if (match === null || !judgement.isUsable)
    throw new UserFailure(
      'Give the address of the ticket: the page of your team shows the whole line to paste.',
      2,
    )
  return { door, path }
}

/** What each step takes of the named tools. Throws UserFailure for a name that neither knows. */
function splitTools(named: string | undefined): { readonly init: Tools; readonly connect: Tools } {
  if (named === undefined) return { init: {}, connect: {} }
  if (named === 'all') return { init: { tools: named }, connect: { tools: named } }
  const names = named.split(',').map(name => name.trim().toLowerCase())
  const recorded = names.filter(name => toolNames.some(known => known === name))
  const connectable = names.filter(name => connectableTools.some(known => known === name))
  const unknown = names.find(name => !recorded.includes(name) && !connectable.includes(name))
  if (unknown !== undefined) {
    const known = [...new Set([...toolNames, ...Object.keys(connections)])]
    throw new UserFailure(
      `"${unknown}" is not a tool that is known here. --tools takes "all" or some of ${known.join(',')}.`,
      2,
    )
  }
  const some = (list: readonly string[]): Tools => (list.length === 0 ? {} : { tools: list.join(',') })
  return { init: some(recorded), connect: some(connectable) }
}

type Tools = { readonly tools?: string }

/**
 * A random text of this repository, made once. With it the ticket gives the same secrets again after a lost reply, and nothing to
 * anybody else who has seen the line.
 */
function readLaptop(spool: Spool, { randomBytes }: Pick<VerbContext, 'randomBytes'>): string {
  const path = join(spool.layout.folder, 'laptop')
  const stored = Buffer.from(spool.files.read(path) ?? [])
    .toString('utf8')
    .trim()
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
      `The gateway ${door} cannot be reached: ${reply.message}. Paste the line again; nothing is lost.`,
    )
  const joined = reply.status === 200 ? readJoined(reply.body) : null
  if (joined !== null) return joined
  const error = readMember(reply.body, 'error')
  const message = readText(error, 'message') ?? `${door} answered ${reply.status}, not as a gateway.`
  throw new UserFailure(reply.status >= 500 ? `${message} Paste the line again; nothing is lost.` : message)
}

function readJoined(body: unknown): Joined | null {
  const [teamId, name, key, token] = ['team_id', 'name', 'key', 'log_token'].map(member =>
    readText(body, member),
  )
  const [gatewayUrl, logbookUrl] = ['gateway_url', 'logbook_url'].map(member => readText(body, member))
  if (!teamId || !name || !key || !token || !gatewayUrl || !logbookUrl) return null
  return { team: readText(body, 'team_alias') ?? teamId, teamId, name, key, token, gatewayUrl, logbookUrl }
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function readText(value: unknown, name: string): string | null {
  const text = readMember(value, name)
  return typeof text === 'string' && text !== '' ? text : null
}

/** Runs another verb that reads a secret; what it cannot do is said, and the next step still runs. */
async function runStep(
  context: VerbContext,
  secret: string,
  isJson: boolean,
  run: (inner: VerbContext) => Promise<number>,
): Promise<{ readonly code: number; readonly report: unknown }> {
  const printed: string[] = []
  const terminal = { ...context.terminal, isInteractive: false, readAll: async () => secret }
  const print = isJson ? (text: string) => void printed.push(text) : context.print
  try {
    const code = await run({ ...context, terminal, print })
    return { code, report: isJson ? JSON.parse(printed.join('')) : null }
  } catch (thrown) {
    if (!(thrown instanceof UserFailure)) throw thrown
    context.printError(`${thrown.message}\n`)
    return { code: 1, report: null }
  }
}

function describeRest({ gatewayUrl }: Joined, keyFile: string): string {
  return `Your key is kept in ${keyFile}. To connect your tools later:\n  fairgate-recorder connect --gateway ${gatewayUrl} --key-stdin < ${keyFile}\n`
}
