// The address of the logbook and the team's token for it. They are files in the recorder's folder, never in the work tree or a command line.
import { join } from 'node:path'
import { parseEntryText, type Spool } from '../spool/spool.ts'
import { isSameOrigin } from './logbook-url.ts'

export type Settings = {
  /** The address of the logbook, without a slash at its end. */
  readonly logbookUrl: string | null
  readonly token: string | null
}

const settingsFile = 'config.json'

export function tokenPath({ folder }: Spool['layout']): string {
  return join(folder, 'log-token')
}

export function readSettings({ files, layout }: Pick<Spool, 'files' | 'layout'>): Settings {
  const settings = parseEntryText(files.read(join(layout.folder, settingsFile)) ?? new Uint8Array())?.entry
  const token = Buffer.from(files.read(tokenPath(layout)) ?? [])
    .toString('utf8')
    .trim()
  return {
    logbookUrl: typeof settings?.logbook_url === 'string' ? trimUrl(settings.logbook_url) : null,
    token: token === '' ? null : token,
  }
}

/** A stored token never stands beside an address that it was not given for, not even after a crash. */
export function saveConnection(spool: Spool, stored: Settings, { logbookUrl, token }: Settings): void {
  const isMoving =
    logbookUrl !== null && stored.logbookUrl !== null && !isSameOrigin(stored.logbookUrl, logbookUrl)
  if (isMoving) removeToken(spool)
  if (logbookUrl !== null && logbookUrl !== stored.logbookUrl) saveLogbookUrl(spool, logbookUrl)
  if (token !== null && (isMoving || token !== stored.token)) saveToken(spool, token)
}

/** Keeps members of the file that it does not know. */
export function saveLogbookUrl(spool: Spool, logbookUrl: string): void {
  const path = join(spool.layout.folder, settingsFile)
  const known = parseEntryText(spool.files.read(path) ?? new Uint8Array())?.entry ?? {}
  const settings = { ...known, logbook_url: trimUrl(logbookUrl) }
  spool.writeAtomically(path, `${JSON.stringify(settings, null, 2)}\n`)
}

/** Like all files of the spool, it is readable only by the owner. */
export function saveToken(spool: Spool, token: string): void {
  spool.writeAtomically(tokenPath(spool.layout), `${token}\n`)
}

export function removeToken({ files, layout }: Spool): void {
  files.remove(tokenPath(layout))
}

function trimUrl(url: string): string {
  return url.trim().replace(/\/+$/, '')
}
