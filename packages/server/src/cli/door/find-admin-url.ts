// Decides where the admin door is: the option, the environment, or this machine.
import { CommandFailure } from '../command-failure.ts'

export const defaultAdminUrl = 'http://127.0.0.1:4002'

/** Without a slash at its end. Throws CommandFailure 2 that names the setting at fault. */
export function findAdminUrl(
  option: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): string {
  if (option !== undefined) return readUrl('--url', option.trim())
  const variable = variables.FAIRGATE_ADMIN_URL?.trim()
  return variable ? readUrl('FAIRGATE_ADMIN_URL', variable) : defaultAdminUrl
}

function readUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain =
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    `${url.search}${url.hash}${url.username}${url.password}` === ''
  if (isPlain) return text.replace(/\/+$/, '')
  // The text is not repeated: it may hold a password.
  throw new CommandFailure(
    2,
    `error: ${name} must be an http or https address without user, query or fragment, ` +
      `such as ${defaultAdminUrl}.`,
  )
}
