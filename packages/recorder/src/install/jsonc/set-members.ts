// Sets members of a settings file to our values, and takes them back so that the text is as it was.
import { insertMember } from './insert-child.ts'
import { type JsonExtra, type JsonNode, parseAccepted, parseJsonc } from './parse-jsonc.ts'
import { childrenOf, findNode, readValue } from './read-jsonc.ts'
import { removeChild, replaceInner } from './remove-child.ts'
import { indentationAt, readStyle, renderValue } from './text-style.ts'

export type Member = readonly [path: readonly string[], value: unknown]

/** A member that we set, with the text of its value before; null if it did not exist. */
export type SetMember = { readonly path: readonly string[]; readonly before: string | null }

export type SetResult = {
  readonly text: string
  readonly set: readonly SetMember[]
  /** Paths of objects that were created around them. */
  readonly made: readonly (readonly string[])[]
}

/** `text` is null when there is no file. `accepted`: what the tool takes in this file. A second call changes nothing. Throws with the reason for the user. */
export function setMembers(
  text: string | null,
  members: readonly Member[],
  accepted: readonly JsonExtra[],
): SetResult {
  const set: SetMember[] = []
  const made: (readonly string[])[] = []
  let rest = text === null || text.trim() === '' ? '{}\n' : text
  for (const [path, value] of members) {
    for (let depth = 1; depth < path.length; depth += 1) {
      const outer = path.slice(0, depth)
      const node = readTree(rest, outer, accepted)
      if (node === null) {
        rest = insertMember(rest, outer.slice(0, -1), outer.at(-1) ?? '', {})
        made.push(outer)
      } else if (node.kind !== 'object') throw new Error(`"${outer.join('.')}" is not an object`)
    }
    const node = readTree(rest, path, accepted)
    if (node === null) {
      rest = insertMember(rest, path.slice(0, -1), path.at(-1) ?? '', value)
      set.push({ path, before: null })
    } else if (JSON.stringify(readValue(node)) !== JSON.stringify(value)) {
      set.push({ path, before: rest.slice(node.start, node.end) })
      const written = renderValue(value, readStyle(rest), indentationAt(rest, node.start))
      rest = rest.slice(0, node.start) + written + rest.slice(node.end)
    }
  }
  return { text: rest, set, made }
}

/** `original`: the text before; null when there was no file. Throws JsoncError when the file can no longer be read. */
export function unsetMembers(
  text: string,
  { set, made }: Omit<SetResult, 'text'>,
  original: string | null,
): string {
  let rest = text
  for (const { path, before } of [...set].reverse()) {
    const node = findNode(parseJsonc(rest), path)
    if (node === null) continue
    rest =
      before === null ? removeMember(rest, path) : rest.slice(0, node.start) + before + rest.slice(node.end)
  }
  for (const path of [...made].reverse()) {
    const node = findNode(parseJsonc(rest), path)
    if (node?.kind !== 'object' || childrenOf(node).length > 0) continue
    if (rest.slice(node.start + 1, node.end - 1).trim() === '') rest = removeMember(rest, path)
  }
  for (const path of listOuter(set)) rest = restoreEmpty(rest, path, original)
  return rest
}

function listOuter(set: readonly SetMember[]): string[][] {
  const outer = set.flatMap(({ path }) => path.map((_, depth) => path.slice(0, depth)))
  return [...new Map(outer.map(path => [path.join('\n'), path])).values()]
}

function removeMember(text: string, path: readonly string[]): string {
  const parent = findNode(parseJsonc(text), path.slice(0, -1))
  if (parent?.kind !== 'object') return text
  const index = parent.members.findLastIndex(({ name }) => name === path.at(-1))
  return removeChild(text, parent, index)
}

/** What was empty before is empty again, with the same blanks. */
export function restoreEmpty(text: string, path: readonly string[], original: string | null): string {
  const container = findEmpty(text, path)
  const before = original === null || original.trim() === '' ? null : original
  const former = before === null ? null : findEmpty(before, path)
  if (container === null || former === null || before === null) return text
  return replaceInner(text, container, before.slice(former.start + 1, former.end - 1))
}

function findEmpty(text: string, path: readonly string[]) {
  const node = findNode(parseJsonc(text), path)
  return node === null || node.kind === 'scalar' || childrenOf(node).length > 0 ? null : node
}

function readTree(text: string, path: readonly string[], accepted: readonly JsonExtra[]): JsonNode | null {
  const root = parseAccepted(text, accepted)
  if (root.kind !== 'object') throw new Error('it does not contain a JSON object')
  return findNode(root, path)
}
