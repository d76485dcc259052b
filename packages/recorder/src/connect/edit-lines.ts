// Works out the new text of a settings file that consists of lines: TOML and `.env`.
import { listsLine, nameOfLine } from '../install/files/marked-block.ts'
import { hasSameLines, putOwnedLines, removeOwnedLines, splitLines } from '../install/files/owned-lines.ts'
import { classifyLines, parseToml } from '../install/toml/read-toml.ts'
import { isObject, memberAt } from '../json/members.ts'
import type { SettingsEdit, TomlValue } from './recipe.ts'

type Edit<Format> = Omit<Extract<SettingsEdit, { format: Format }>, 'path' | 'holdsKey' | 'format'>
type TomlEdit = Edit<'toml'>

/** `text` is null when there is no file. A second call changes nothing. */
export function editEnv(text: string | null, edit: Edit<'env'>): string {
  const { variables } = edit
  const own = text === null ? null : removeOwnedLines(text, listsLine(Object.keys(variables)))
  const setAside = splitLines(own ?? '').flatMap((line, number) =>
    Object.hasOwn(variables, nameOfLine(line) ?? '') ? [number] : [],
  )
  const top = Object.entries(variables).map(([name, value]) => `${name}=${quoteForEnv(value)}`)
  return keepPlaces(text, putOwnedLines(own, { top, setAside: new Set(setAside) }))
}

/** What others have written between our marks is no reason to change the file. */
function keepPlaces(text: string | null, edited: string): string {
  return text !== null && hasSameLines(text, edited) ? text : edited
}

function quoteForEnv(value: string): string {
  return /^[A-Za-z0-9_/.:@%+,-]*$/.test(value) ? value : `'${value}'`
}

/** The same for TOML. Throws with the reason for the user. */
export function editToml(text: string | null, edit: TomlEdit): string {
  const own = text === null ? null : removeOwnedLines(text, listsLine(listTomlLines(edit)))
  const lines = splitLines(own ?? '')
  const layout = readLayout(lines)
  const known = parseToml(own ?? '')
  const names = [...Object.keys(edit.root), ...edit.retired]
  const setAside = layout.rootKeys.filter(({ key }) => names.includes(key))
  for (const { number, key } of setAside)
    if (!isOnOneLine(lines[number] ?? '')) throw new Error(`"${key}" takes several lines`)
  const top = Object.entries(edit.root).map(([key, value]) => `${key} = ${writeToml(value)}`)
  const after: { line: number; lines: string[] }[] = []
  for (const [table, values] of Object.entries(edit.tables)) {
    const isOptional = edit.optional.includes(table)
    if (layout.rootKeys.some(({ key }) => key === table)) {
      if (isOptional) continue
      throw new Error(`"${table}" is written as one value`)
    }
    const wanted = Object.entries(values).filter(([key]) => memberAt(known, table, key) === undefined)
    if (!isOptional && wanted.length < Object.keys(values).length)
      throw new Error(`it already has "${table}.${Object.keys(values).join(', ')}"`)
    const header = layout.headers.get(table)
    const write = (prefix: string) => wanted.map(([key, value]) => `${prefix}${key} = ${writeToml(value)}`)
    if (header === undefined) top.push(...write(`${table}.`))
    else if (lines[header]?.endsWith('\n') === true) after.push({ line: header, lines: write('') })
    else if (!isOptional) throw new Error(`its last line is [${table}]`)
  }
  const edited = putOwnedLines(own, { top, after, setAside: new Set(setAside.map(({ number }) => number)) })
  if (!isReached(edited, edit)) throw new Error('its layout is not understood')
  return text !== null && isReached(text, edit) ? keepPlaces(text, edited) : edited
}

/** What `editToml` writes: names, and the whole lines of tables in which a value of the user counts more. */
export function listTomlLines({ root, tables, optional }: TomlEdit): string[] {
  const inner = Object.entries(tables).flatMap(([table, values]) =>
    Object.entries(values).flatMap(([key, value]) => {
      const rest = optional.includes(table) ? ` = ${writeToml(value)}` : ''
      return [`${table}.${key}${rest}`, `${key}${rest}`]
    }),
  )
  return [...Object.keys(root), ...inner]
}

type TomlLayout = {
  /** The keys before the first table. */
  readonly rootKeys: readonly { readonly number: number; readonly key: string }[]
  /** Table → the number of its line. */
  readonly headers: ReadonlyMap<string, number>
}

function readLayout(lines: readonly string[]): TomlLayout {
  const rootKeys: { number: number; key: string }[] = []
  const headers = new Map<string, number>()
  const places = classifyLines(lines)
  for (const [number, line] of lines.entries()) {
    if (places[number] === 'text') continue
    const header = /^\s*\[\s*"?([A-Za-z0-9_-]+)"?\s*\]/.exec(line)?.[1]
    if (header !== undefined) headers.set(header, number)
    const key = nameOfLine(line)
    if (places[number] === 'root' && key !== null) rootKeys.push({ number, key })
  }
  return { rootKeys, headers }
}

function isOnOneLine(line: string): boolean {
  return /=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_.+-]+)\s*(?:#.*)?$/.test(line.trimEnd())
}

function writeToml(value: TomlValue): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${key} = ${JSON.stringify(inner)}`)
    .join(', ')} }`
}

/** A layout that we read wrongly must not reach the tool, which would refuse to start. */
function isReached(text: string, { root, tables, optional }: TomlEdit) {
  const required = Object.entries(tables).filter(([table]) => !optional.includes(table))
  const says = (found: unknown, wanted: unknown): boolean =>
    isObject(wanted)
      ? Object.entries(wanted).every(([key, inner]) => says(memberAt(found, key), inner))
      : found === wanted
  return says(parseToml(text), { ...root, ...Object.fromEntries(required) })
}
