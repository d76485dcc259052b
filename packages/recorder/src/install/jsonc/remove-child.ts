// Removes a member or an item from the text, so that adding and removing it restores the original text.
import { type JsonContainer, parseJsonc, skipTrivia } from './parse-jsonc.ts'
import { childrenOf } from './read-jsonc.ts'

type Span = { readonly start: number; readonly end: number }

export function removeChild(text: string, container: JsonContainer, index: number): string {
  const children = childrenOf(container)
  const child = children[index]
  if (child === undefined) return text
  const comma = findComma(text, child, children[index - 1], children[index + 1] === undefined)
  const commas = comma === null ? [] : [comma]
  const close = removeSpans(text, [widen(text, child), ...commas])
  // A line comment before the child could swallow what follows it on the same line.
  return isIntact(close, text, container, index) ? close : removeSpans(text, [child, ...commas])
}

/** Replaces the text between the brackets. */
export function replaceInner(text: string, container: JsonContainer, inner: string): string {
  return text.slice(0, container.start + 1) + inner + text.slice(container.end - 1)
}

/** The child's own comma, or that of the child before it if it is the last and has none. */
function findComma(text: string, child: Span, before: Span | undefined, isLast: boolean): Span | null {
  const next = skipTrivia(text, child.end)
  if (text[next] === ',') return { start: next, end: next + 1 }
  if (before === undefined || !isLast) return null
  const at = skipTrivia(text, before.end)
  return { start: at, end: at + 1 }
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

function isIntact(after: string, before: string, container: JsonContainer, index: number): boolean {
  try {
    const counts = [before, after].map(text => countValues(text))
    const removed = countValues(before.slice(...spanOf(container, index)))
    return (counts[0] ?? 0) - (counts[1] ?? 0) === removed
  } catch {
    return false
  }
}

function spanOf(container: JsonContainer, index: number): [number, number] {
  const child = container.kind === 'object' ? container.members[index]?.value : container.items[index]
  return [child?.start ?? 0, child?.end ?? 0]
}

function countValues(text: string): number {
  const count = (node: ReturnType<typeof parseJsonc>): number => {
    if (node.kind === 'scalar') return 1
    const children = node.kind === 'object' ? node.members.map(({ value }) => value) : node.items
    return children.reduce((sum, child) => sum + count(child), 1)
  }
  return count(parseJsonc(text))
}
