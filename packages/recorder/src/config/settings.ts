// The addresses of logbook and gateway, what may be wrong with one, and the team's secrets for them. They are files in the recorder's folder, never in the work tree or
// a command line.
import { join } from 'node:path'
import { memberAt, textOf, textsOf } from '../json/members.ts'
import type { Files } from '../spool/files.ts'
import { readObject, type Spool } from '../spool/spool.ts'

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
  const settings = readObject(files, join(layout.folder, settingsFile))
  const url = memberAt(settings, 'logbook_url')
  return {
    logbookUrl: typeof url === 'string' ? trimUrl(url) : null,
    token: readSecret(files, tokenPath(layout)),
  }
}

/** null if there is no such file, or nothing in it. */
export function readSecret(files: Pick<Files, 'read'>, path: string): string | null {
  return (
    Buffer.from(files.read(path) ?? [])
      .toString('utf8')
      .trim() || null
  )
}

/** A stored token is never stored with an address that it was not given for, not even after a crash. */
export function saveConnection(spool: Spool, stored: Settings, { logbookUrl, token }: Settings): void {
  const isMoving =
    logbookUrl !== null && stored.logbookUrl !== null && !isSameOrigin(stored.logbookUrl, logbookUrl)
  if (isMoving) removeToken(spool)
  if (logbookUrl !== null && logbookUrl !== stored.logbookUrl) saveLogbookUrl(spool, logbookUrl)
  if (token !== null && (isMoving || token !== stored.token)) saveToken(spool, token)
}

export function saveLogbookUrl(spool: Spool, logbookUrl: string): void {
  changeSettings(spool, { logbook_url: trimUrl(logbookUrl) })
}

/** Keeps members of the file that it does not know. A member that becomes undefined is removed, and with the last one the file. */
function changeSettings(spool: Spool, changed: Readonly<Record<string, unknown>>): void {
  const path = join(spool.layout.folder, settingsFile)
  const text = JSON.stringify({ ...readObject(spool.files, path), ...changed }, null, 2)
  if (text === '{}') spool.files.remove(path)
  else spool.writeAtomically(path, `${text}\n`)
}

/** How the tools of this repository call models. */
export type StoredGateway = {
  /** Without a slash at its end. */
  readonly url: string
  readonly key: string
  readonly model: string
  /** The tools that were connected. */
  readonly tools: readonly string[]
}

export function keyPath({ folder }: Spool['layout']): string {
  return join(folder, 'gateway-key')
}

/** null when nothing is connected here. */
export function readGateway({ files, layout }: Pick<Spool, 'files' | 'layout'>): StoredGateway | null {
  const settings = readObject(files, join(layout.folder, settingsFile))
  const key = readSecret(files, keyPath(layout))
  const { gateway_url: url, gateway_model: model } = settings ?? {}
  if (typeof url !== 'string' || typeof model !== 'string' || key === null) return null
  return { url: trimUrl(url), key, model, tools: textsOf(settings, 'gateway_tools') }
}

/** The key of a claim, before any tool is connected with it. */
export function saveIssuedKey(spool: Spool, url: string, key: string): void {
  changeSettings(spool, { gateway_url: trimUrl(url) })
  spool.writeAtomically(keyPath(spool.layout), key)
}

/** The gateway of a key with which no tool is connected yet; null for none. */
export function readUnusedGateway(spool: Pick<Spool, 'files' | 'layout'>): string | null {
  const { files, layout } = spool
  if (readGateway(spool) !== null || files.read(keyPath(layout)) === null) return null
  const settings = readObject(files, join(layout.folder, settingsFile))
  return textOf(settings, 'gateway_url')
}

/** For what is shown: settings files hold the key. */
export function hideKey(text: string, spool: Pick<Spool, 'files' | 'layout'>): string {
  const key = readGateway(spool)?.key
  return key === undefined ? text : text.replaceAll(key, '<gateway key>')
}

/** A stored key is never stored with an address that it was not given for, not even after a crash. */
export function saveGateway(spool: Spool, { url, key, model, tools }: StoredGateway): void {
  const stored = readGateway(spool)
  if (stored !== null && !isSameOrigin(stored.url, url)) spool.files.remove(keyPath(spool.layout))
  changeSettings(spool, { gateway_url: trimUrl(url), gateway_model: model, gateway_tools: tools })
  if (stored?.key !== key) spool.writeAtomically(keyPath(spool.layout), key)
}

export function removeGateway(spool: Spool): void {
  spool.files.remove(keyPath(spool.layout))
  if (spool.files.read(join(spool.layout.folder, settingsFile)) === null) return
  changeSettings(spool, { gateway_url: undefined, gateway_model: undefined, gateway_tools: undefined })
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

export type UrlJudgement =
  | { readonly isUsable: true; readonly warning: string | null }
  | { readonly isUsable: false; readonly reason: string }

/** Whether both addresses have the same scheme, host and port. */
export function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin
}

/** Says what is wrong with an address that somebody gives. `secret`: what is sent there. */
export function judgeUrl(text: string, secret = 'the log token'): UrlJudgement {
  if (!URL.canParse(text)) return { isUsable: false, reason: 'it is not an address' }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { isUsable: false, reason: 'it does not start with https:// or http://' }
  if (url.username !== '' || url.password !== '')
    return { isUsable: false, reason: 'it contains a user name or a password' }
  if (url.search !== '' || url.hash !== '') return { isUsable: false, reason: 'it has a query' }
  const isLocal = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)
  const isOpen = url.protocol === 'http:' && !isLocal
  return {
    isUsable: true,
    warning: isOpen ? `the address is not https: others can read ${secret}` : null,
  }
}
