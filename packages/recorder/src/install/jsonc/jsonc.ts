// Reads JSON with comments. The tree knows every position, so that a settings file can be edited without being rewritten.

// By its path, because the file that Bun would take otherwise cannot be bundled.
import {
  createScanner,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser/lib/esm/main.js'
import type { ReadText } from '../../git/find-repository.ts'

export type JsonNode = Node

/** The plain value. */
export const readValue: (node: JsonNode) => unknown = getNodeValue

/** What goes beyond JSON and some tools accept in their settings: comments, commas before a closing bracket, a byte order mark. */
export type JsonExtra = 'comment' | 'extra comma' | 'byte order mark'

/** Accepts comments, commas before a closing bracket and a byte order mark. Throws with line and column. */
export function parseJsonc(text: string): JsonNode {
  const errors: ParseError[] = []
  const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
  const at = errors[0]?.offset ?? 0
  if (root !== undefined && errors.length === 0) return root
  const before = text.slice(0, at).split('\n')
  const what = at >= text.length ? 'the end of the file' : JSON.stringify(text[at])
  throw new Error(
    `it is not valid JSON (line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: unexpected ${what})`,
  )
}

/** For the file of a tool that ignores all of it if something is there that it does not accept. Throws with the line. */
export function parseAccepted(text: string, accepted: readonly JsonExtra[]): JsonNode {
  const root = parseJsonc(text)
  const comment = String.raw`\/\/[^\n\r]*(?![^\n\r])|\/\*(?:[^*]|\*(?!\/))*\*\/`
  const extras = new RegExp(`("(?:[^"\\\\]|\\\\.)*")|(${comment})|,(?:\\s|${comment})*[}\\]]|^(\uFEFF)`, 'g')
  for (const { 1: value, 2: note, 3: mark, index } of text.matchAll(extras)) {
    const extra: JsonExtra =
      note !== undefined ? 'comment' : mark !== undefined ? 'byte order mark' : 'extra comma'
    if (value !== undefined || accepted.includes(extra)) continue
    const article = extra === 'extra comma' ? 'an' : 'a'
    const line = text.slice(0, index).split('\n').length
    throw new Error(
      `line ${line} has ${article} ${extra}, for which the tool rejects the whole file: remove it`,
    )
  }
  return root
}

/** The text of a settings file: an empty object if there is no file, or nothing in it. */
export function textOrEmpty(text: string | null): string {
  return text === null || text.trim() === '' ? '{}\n' : text
}

/** The node under these names in a file that must be an object; null if there is none. Throws like `parseAccepted`. */
export function findAccepted(
  text: string,
  path: readonly string[],
  accepted: readonly JsonExtra[],
): JsonNode | null {
  const root = parseAccepted(text, accepted)
  if (root.type !== 'object') throw new Error('it does not contain a JSON object')
  return findNode(root, path)
}

/** The node under these names; null if there is none. Of several members with the same name the last counts, as in `JSON.parse`. */
export function findNode(root: JsonNode, path: readonly string[]): JsonNode | null {
  let node: JsonNode | undefined = root
  for (const name of path) {
    if (node?.type !== 'object') return null
    node = childrenOf(node).findLast(member => nameOf(member) === name)?.children?.[1]
  }
  return node ?? null
}

/** Members, from the name to the end of the value, or items. */
export function childrenOf(container: JsonNode): readonly JsonNode[] {
  return container.children ?? []
}

export function nameOf(member: JsonNode): unknown {
  return member.children?.[0]?.value
}

export function endOf({ offset, length }: JsonNode): number {
  return offset + length
}

/** The next position that is neither blank nor within a comment. */
export function skipTrivia(text: string, from: number): number {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  return scanner.getTokenOffset()
}

// The layout of a settings file, so that added text looks like the rest.

export type TextStyle = { readonly lineEnd: '\n' | '\r\n'; readonly indent: string }

export function readStyle(text: string): TextStyle {
  const indent = /^[ \t]*[{[][^\S\n]*\r?\n([ \t]+)\S/m.exec(text)?.[1]
  return { lineEnd: /\r\n/.test(text) ? '\r\n' : '\n', indent: indent ?? '  ' }
}

/** The blanks at the beginning of the line at this position. */
export function indentationAt(text: string, at: number): string {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, at))?.[0] ?? ''
}

/** A value on several lines. All lines but the first begin with `indentation`. */
export function renderValue(value: unknown, { lineEnd, indent }: TextStyle, indentation: string): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', `${lineEnd}${indentation}`)
}

// Reads one value of a tool's own settings without trusting their shape.

/** undefined when there is no such file or value, or when the file cannot be read. */
export function readSetting(readText: ReadText, file: string, path: readonly string[]): unknown {
  try {
    const node = findNode(parseJsonc(readText(file) ?? '{}'), path)
    return node === null ? undefined : readValue(node)
  } catch {
    return undefined
  }
}

/** The first file that has this value. */
export function findSetting(
  readText: ReadText,
  files: readonly string[],
  path: readonly string[],
  value: unknown,
): string | null {
  return files.find(file => readSetting(readText, file, path) === value) ?? null
}
