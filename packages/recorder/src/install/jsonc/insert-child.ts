// Adds a member or an item at the end of an object or a list and leaves every other character of the text unchanged.

import { type JsonContainer, parseJsonc, skipTrivia } from './parse-jsonc.ts'
import { childrenOf, findNode } from './read-jsonc.ts'
import { indentationAt, readStyle, renderValue } from './text-style.ts'

/** Adds `name: value` to the object under `path`. */
export function insertMember(text: string, path: readonly string[], name: string, value: unknown): string {
  const object = requireContainer(text, path, 'object')
  return insertChild(text, object, `${JSON.stringify(name)}: `, value)
}

/** Adds an item to the list under `path`. */
export function insertItem(text: string, path: readonly string[], value: unknown): string {
  return insertChild(text, requireContainer(text, path, 'array'), '', value)
}

function requireContainer(text: string, path: readonly string[], kind: JsonContainer['kind']): JsonContainer {
  const node = findNode(parseJsonc(text), path)
  if (node === null || node.kind === 'scalar' || node.kind !== kind)
    throw new Error(`${path.join('.')} is no ${kind}`)
  return node
}

function insertChild(text: string, container: JsonContainer, label: string, value: unknown): string {
  const style = readStyle(text)
  const children = childrenOf(container)
  const last = children.at(-1)
  const { contentEnd, hasComma } = readTail(text, last?.end ?? container.start + 1)
  const gap = text.slice(contentEnd, container.end - 1)
  const comma = last !== undefined && !hasComma ? ',' : ''
  const head =
    text.slice(0, last?.end ?? contentEnd) + comma + text.slice(last?.end ?? contentEnd, contentEnd)
  const isMultiline = gap.includes('\n') || (last === undefined && isLaidOut(text))
  const trailing = hasComma ? ',' : ''
  if (!isMultiline) {
    const isSpaced = /[,:]\s/.test(text)
    const separator = last === undefined ? '' : isSpaced ? ' ' : ''
    const written = label.replace(/ $/, isSpaced ? ' ' : '') + JSON.stringify(value)
    return head + separator + written + trailing + text.slice(contentEnd)
  }
  const outer = indentationAt(text, container.start)
  const isOnOwnLine =
    last !== undefined && text.slice(text.lastIndexOf('\n', last.start - 1) + 1, last.start).trim() === ''
  const inner = isOnOwnLine ? indentationAt(text, last.start) : outer + style.indent
  const closing = gap.includes('\n') ? '' : style.lineEnd + outer
  const written = `${style.lineEnd}${inner}${label}${renderValue(value, style, inner)}${trailing}`
  return head + written + closing + text.slice(contentEnd)
}

/** Where a container's content ends, comments included, and whether a comma follows the last child. */
function readTail(text: string, from: number): { contentEnd: number; hasComma: boolean } {
  let contentEnd = from
  let hasComma = false
  for (let at = from; ; ) {
    const next = skipTrivia(text, at)
    // The text in between has only blanks, or comments too.
    const between = text.slice(at, next)
    if (between.trim() !== '') contentEnd = at + between.trimEnd().length
    if (text[next] !== ',') return { contentEnd, hasComma }
    hasComma = true
    contentEnd = next + 1
    at = contentEnd
  }
}

/** A file on one line stays on one. */
function isLaidOut(text: string): boolean {
  return text.trim().includes('\n') || !/[^\s{}[\]]/.test(text)
}
