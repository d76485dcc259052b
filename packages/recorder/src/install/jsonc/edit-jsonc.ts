// Adds and removes members and items, and leaves every other character of the text unchanged. Adding one and removing it restores the text.
//
// The library's own edits would not do: they reformat added text, and removing it does not bring back what was there.
import {
  childrenOf,
  endOf,
  findNode,
  indentationAt,
  type JsonNode,
  nameOf,
  parseJsonc,
  readStyle,
  renderValue,
  skipTrivia,
} from './jsonc.ts'

type Span = { readonly start: number; readonly end: number }

/** Adds `name: value` at the end of the object under `path`. */
export function insertMember(text: string, path: readonly string[], name: string, value: unknown): string {
  return insertChild(text, path, 'object', `${JSON.stringify(name)}: `, value)
}

/** Adds an item at the end of the list under `path`. */
export function insertItem(text: string, path: readonly string[], value: unknown): string {
  return insertChild(text, path, 'array', '', value)
}

function insertChild(
  text: string,
  path: readonly string[],
  type: JsonNode['type'],
  label: string,
  value: unknown,
): string {
  const container = findNode(parseJsonc(text), path)
  if (container?.type !== type) throw new Error(`${path.join('.')} is not an ${type}`)
  const style = readStyle(text)
  const last = childrenOf(container).at(-1)
  const close = endOf(container) - 1
  const from = last === undefined ? container.offset + 1 : endOf(last)
  const { contentEnd, hasComma } = readTail(text, from)
  const gap = text.slice(contentEnd, close)
  const comma = last !== undefined && !hasComma ? ',' : ''
  const start = last === undefined ? contentEnd : from
  const head = text.slice(0, start) + comma + text.slice(start, contentEnd)
  const isMultiline = gap.includes('\n') || (last === undefined && isLaidOut(text))
  const trailing = hasComma ? ',' : ''
  if (!isMultiline) {
    const isSpaced = /[,:]\s/.test(text)
    const separator = last !== undefined && isSpaced ? ' ' : ''
    const written = label.replace(/ $/, isSpaced ? ' ' : '') + JSON.stringify(value)
    return head + separator + written + trailing + text.slice(contentEnd)
  }
  const outer = indentationAt(text, container.offset)
  const isOnOwnLine =
    last !== undefined && text.slice(text.lastIndexOf('\n', last.offset - 1) + 1, last.offset).trim() === ''
  const inner = isOnOwnLine ? indentationAt(text, last.offset) : outer + style.indent
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

/** Puts another value in place of this one. */
export function replaceNode(text: string, node: JsonNode, written: string): string {
  return text.slice(0, node.offset) + written + text.slice(endOf(node))
}

export function removeMember(text: string, path: readonly string[]): string {
  const parent = findNode(parseJsonc(text), path.slice(0, -1))
  const index =
    parent === null ? -1 : childrenOf(parent).findLastIndex(member => nameOf(member) === path.at(-1))
  return parent === null ? text : removeChild(text, parent, index)
}

export function removeChild(text: string, container: JsonNode, index: number): string {
  const children = childrenOf(container)
  const child = children[index]
  if (child === undefined) return text
  const isLast = children[index + 1] === undefined
  const comma = findComma(text, endOf(child), isLast ? children[index - 1] : undefined)
  const span = { start: child.offset, end: endOf(child) }
  const close = removeSpans(text, [widen(text, span), ...comma])
  // A line comment before the child could swallow what follows it on the same line.
  return isIntact(close, text, child) ? close : removeSpans(text, [span, ...comma])
}

/** The child's own comma, or that of the child before it if it is the last and has none. */
function findComma(text: string, end: number, before: JsonNode | undefined): Span[] {
  const next = skipTrivia(text, end)
  const at = text[next] === ',' || before === undefined ? next : skipTrivia(text, endOf(before))
  return text[at] === ',' ? [{ start: at, end: at + 1 }] : []
}

/** Includes the blanks before the child or, if there are none, those after its comma. */
function widen(text: string, child: Span): Span {
  const start = text.slice(0, child.start).trimEnd().length
  if (start < child.start) return { start, end: child.end }
  const behind = /^,[ \t]*/.exec(text.slice(child.end))?.[0] ?? ''
  return { start, end: child.end + behind.length }
}

function removeSpans(text: string, spans: readonly Span[]): string {
  const characters = [...spans].sort((left, right) => right.start - left.start)
  return characters.reduce((rest, { start, end }) => {
    const isInside = spans.some(other => other.start < start && end <= other.end)
    return isInside ? rest : rest.slice(0, start) + rest.slice(end)
  }, text)
}

function isIntact(after: string, before: string, removed: JsonNode): boolean {
  const count = (node: JsonNode): number => childrenOf(node).reduce((sum, child) => sum + count(child), 1)
  try {
    return count(parseJsonc(before)) - count(parseJsonc(after)) === count(removed)
  } catch {
    return false
  }
}

/** An object or a list with nothing in it, not even a comment. */
export function isEmptyContainer(text: string, node: JsonNode): boolean {
  return node.children?.length === 0 && text.slice(node.offset + 1, endOf(node) - 1).trim() === ''
}

/** What was empty before is empty again, with the same blanks and comments. */
export function restoreEmpty(text: string, path: readonly string[], original: string | null): string {
  const before = original ?? ''
  const former = before.trim() === '' ? null : findNode(parseJsonc(before), path)
  const container = findNode(parseJsonc(text), path)
  if (container?.children?.length !== 0 || former?.children?.length !== 0) return text
  return replaceNode(text, container, before.slice(former.offset, endOf(former)))
}
