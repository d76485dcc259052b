// Shared handling of log token and gateway key: which addresses may get them, how they are read, and consent before sending.
import { isSameOrigin, judgeUrl } from '../config/settings.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import type { VerbContext } from './verb.ts'

/** Throws UserFailure if this cannot be the address of a `door` that gets a `secret`. */
export function requireUrl(
  url: string,
  door: string,
  secret: string,
): { url: string; warning: string | null } {
  const judgement = judgeUrl(url, `the ${secret}`)
  if (judgement.isUsable) return { url, warning: judgement.warning }
  throw new UserFailure(`The address of the ${door} cannot be used: ${judgement.reason}.`, 2)
}

/** Reads the secret from standard input, for scripts. Throws UserFailure. */
export async function readGiven(
  { terminal }: Pick<VerbContext, 'terminal'>,
  title: string,
  isSecret: (text: string) => boolean,
): Promise<string> {
  const text = terminal.isInteractive ? await terminal.askHidden(`${title}: `) : await terminal.readAll()
  if (!isSecret(text)) throw new UserFailure(`Standard input contained no ${title.toLowerCase()}.`)
  return text
}

export type StoredSecret = {
  readonly name: string
  readonly flag: string
  readonly value: string | null
  /** Address that the secret was given for. */
  readonly former: string | null
}

/** Returns the stored secret; null unless it was given for this address or the user agrees to send it there. */
export async function keepStored(
  { terminal }: Pick<VerbContext, 'terminal'>,
  { name, flag, value, former }: StoredSecret,
  url: string | null,
): Promise<string | null> {
  if (value === null || former === null || url === null || isSameOrigin(former, url)) return value
  const given = `The stored ${name} was given for ${former}`
  if (!terminal.isInteractive)
    throw new UserFailure(
      `${given}; it is not sent to ${url} unasked. Give the ${name} for the new address with --${flag}.`,
    )
  return /^y(?:es)?$/i.test(await terminal.ask(`${given}. Send it to ${url} from now on? [y/N] `))
    ? value
    : null
}
