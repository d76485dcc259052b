// Finds out the logbook's address and the team's token: from flags, the environment, stored settings, or by asking.
import type { Settings } from '../config/settings.ts'
import { createCallLogbook } from '../logbook/call-logbook.ts'
import { type Identity, identifyDoor } from '../logbook/identify-door.ts'
import { checkToken, type TokenCheck } from '../logbook/read-page.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import { keepStored, readGiven, requireUrl } from './ask-secret.ts'
import type { VerbContext } from './verb.ts'

export type Connection = {
  readonly logbookUrl: string | null
  readonly token: string | null
  /** null if there was nothing to check. */
  readonly check: TokenCheck | null
  readonly warning: string | null
}

type Flags = Readonly<Record<string, string>>

const maxTries = 3

/**
 * Throws UserFailure if the address is not a logbook, if the stored token is for another address, or if the logbook refuses the token,
 * so that nothing wrong is stored and no token is sent to an address its owner did not choose.
 */
export async function askConnection(
  context: VerbContext,
  flags: Flags,
  stored: Settings,
): Promise<Connection> {
  const given = flags['token-stdin'] === undefined ? null : await readGiven(context, 'Log token', isToken)
  const found = await findUrl(context, flags.url, stored.logbookUrl)
  const { url: logbookUrl, warning } = found ?? { url: null, warning: null }
  const identity = logbookUrl === null ? null : await identify(context, logbookUrl, flags)
  const { token: value, logbookUrl: former } = stored
  const known = { name: 'log token', flag: 'token-stdin', value, former }
  let token = given ?? (await keepStored(context, known, logbookUrl))
  for (let tries = 1; ; tries += 1) {
    const isAsking = token === null && context.terminal.isInteractive && logbookUrl !== null
    if (isAsking) token = await askToken(context)
    if (logbookUrl === null || token === null) return { logbookUrl, token, check: null, warning }
    const check = await checkAt(context, logbookUrl, token, identity)
    if (check.state !== 'refused') return { logbookUrl, token, check, warning }
    const message = 'The logbook does not know this log token.'
    if (!context.terminal.isInteractive || given !== null || tries >= maxTries) throw new UserFailure(message)
    context.printError(`${message}\n`)
    token = null
  }
}

/** Asks without a token. An address that does not answer is accepted, because it may be down or unreachable from here. */
async function identify({ environment }: VerbContext, logbookUrl: string, flags: Flags): Promise<Identity> {
  const identity = await identifyDoor(await createCallLogbook(logbookUrl, null, environment), 'logbook')
  if (identity.kind === 'other' && flags.force === undefined)
    throw new UserFailure(
      `${logbookUrl} is not the address of a logbook: it ${identity.what}. Ask the organisers for the logbook's address, or use it anyway with --force.`,
    )
  return identity
}

/** A server that is not a logbook, or does not answer, never sees the token. */
async function checkAt(
  { environment }: VerbContext,
  logbookUrl: string,
  token: string,
  identity: Identity | null,
): Promise<TokenCheck> {
  if (identity?.kind === 'silent') return { state: 'unknown', message: identity.message }
  if (identity?.kind === 'other') return { state: 'unknown', message: `the address ${identity.what}` }
  return await checkToken(await createCallLogbook(logbookUrl, token, environment))
}

const isToken = (text: string) => text !== '' && !/\s/.test(text)

async function askToken({ terminal }: VerbContext): Promise<string | null> {
  const token = await terminal.askHidden('Log token of your team (hidden; leave empty to enter it later): ')
  return token === '' ? null : token
}

async function findUrl(
  { environment, terminal }: VerbContext,
  flag: string | undefined,
  stored: string | null,
): Promise<{ url: string; warning: string | null } | null> {
  const known = flag ?? environment.FAIRGATE_LOGBOOK_URL ?? stored
  if (known === null && !terminal.isInteractive) return null
  const asked = known ?? (await terminal.ask('Address of the logbook (leave empty to enter it later): '))
  const url = asked.replace(/\/+$/, '')
  return url === '' ? null : requireUrl(url, 'logbook', 'log token')
}
