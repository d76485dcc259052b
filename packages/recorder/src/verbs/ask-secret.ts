// What log token and gateway key have in common: where they may go, how they are read, and that they go nowhere unasked.
import { isSameOrigin, judgeUrl } from '../config/settings.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import type { VerbContext } from './verb.ts'

/** Throws UserFailure if this cannot be the address of a `door`, to which a `secret` is sent. */
export function requireUrl(
  url: string,
  door: string,
  secret: string,
): { url: string; warning: string | null } {
  const judgement = judgeUrl(url, `the ${secret}`)
  if (judgement.isUsable) return { url, warning: judgement.warning }
  throw new UserFailure(`The address of the ${door} cannot be used: ${judgement.reason}.`, 2)
}

/** For scripts, from standard input. Throws UserFailure. */
export async function readGiven(
  { terminal }: Pick<VerbContext, 'terminal'>,
  title: string,
  isSecret: (text: string) => boolean,
): Promise<string> {
  const text = terminal.isInteractive ? await terminal.askHidden(`${title}: `) : await terminal.readAll()
  if (!isSecret(text)) throw new UserFailure(`Standard input held no ${title.toLowerCase()}.`)
  return text
}

export type StoredSecret = {
  readonly name: string
  readonly flag: string
  readonly value: string | null
  /** The address that it was given for. */
  readonly former: string | null
}

/** A secret was given for one address. It goes to another one only if somebody says so; otherwise null. */
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
