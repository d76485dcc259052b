// Finds out where the logbook is and which token the team has: from flags, the environment, what is stored, or by asking.
import { judgeUrl } from '../config/logbook-url.ts'
import type { Settings } from '../config/settings.ts'
import { checkToken, type TokenCheck } from '../logbook/check-token.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import type { VerbContext } from './verb.ts'

export type Connection = {
  readonly logbookUrl: string | null
  readonly token: string | null
  /** null: there was nothing to check with. */
  readonly check: TokenCheck | null
  readonly warning: string | null
}

const mostTries = 3

/** Throws UserFailure when the logbook refuses the token, so that a wrong one is never stored. */
export async function askConnection(
  context: VerbContext,
  flags: Readonly<Record<string, string>>,
  stored: Settings,
): Promise<Connection> {
  const given = flags['token-stdin'] === undefined ? null : await readGivenToken(context)
  const logbookUrl = await findUrl(context, flags.url, stored.logbookUrl)
  const warning = logbookUrl === null ? null : readWarning(logbookUrl)
  let token = given ?? stored.token
  for (let tries = 1; ; tries += 1) {
    const isAsking = token === null && context.terminal.isInteractive && logbookUrl !== null
    if (isAsking) token = await askToken(context)
    if (logbookUrl === null || token === null) return { logbookUrl, token, check: null, warning }
    const check = await checkToken(logbookUrl, token)
    if (check.state !== 'refused') return { logbookUrl, token, check, warning }
    const message = 'The logbook does not know this log token.'
    if (!context.terminal.isInteractive || given !== null || tries >= mostTries)
      throw new UserFailure(message)
    context.printError(`${message}\n`)
    token = null
  }
}

async function readGivenToken({ terminal }: VerbContext): Promise<string> {
  const token = terminal.isInteractive ? await terminal.askHidden('Log token: ') : await terminal.readAll()
  if (token === '' || /\s/.test(token)) throw new UserFailure('Standard input held no log token.')
  return token
}

async function askToken({ terminal }: VerbContext): Promise<string | null> {
  const token = await terminal.askHidden('Log token of your team (it does not show; empty: later): ')
  return token === '' ? null : token
}

async function findUrl(
  { environment, terminal }: VerbContext,
  flag: string | undefined,
  stored: string | null,
): Promise<string | null> {
  const url = flag ?? environment.FAIRGATE_LOGBOOK_URL ?? stored
  if (url === null && !terminal.isInteractive) return null
  const text = (url ?? (await terminal.ask('Address of the logbook (empty: later): '))).replace(/\/+$/, '')
  if (text === '') return null
  const judgement = judgeUrl(text)
  if (!judgement.isUsable)
    throw new UserFailure(`The address of the logbook cannot be used: ${judgement.reason}.`, 2)
  return text
}

function readWarning(url: string): string | null {
  const judgement = judgeUrl(url)
  return judgement.isUsable ? judgement.warning : null
}
