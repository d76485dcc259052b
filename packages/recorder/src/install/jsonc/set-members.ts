// Sets members of a settings file to our values, and takes them back so that the text is as it was.
import { insertMember, isEmptyContainer, removeMember, replaceNode, restoreEmpty } from './edit-jsonc.ts'
import {
  endOf,
  findAccepted,
  findNode,
  indentationAt,
  type JsonExtra,
  parseJsonc,
  readStyle,
  readValue,
  renderValue,
  textOrEmpty,
} from './jsonc.ts'

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
  let rest = textOrEmpty(text)
  for (const [path, value] of members) {
    rest = makeContainers(rest, path.slice(0, -1), 'object', accepted, made)
    const node = findAccepted(rest, path, accepted)
    if (node === null) {
      rest = insertMember(rest, path.slice(0, -1), path.at(-1) ?? '', value)
      set.push({ path, before: null })
    } else if (JSON.stringify(readValue(node)) !== JSON.stringify(value)) {
      set.push({ path, before: rest.slice(node.offset, endOf(node)) })
      rest = replaceNode(rest, node, renderValue(value, readStyle(rest), indentationAt(rest, node.offset)))
    }
  }
  return { text: rest, set, made }
}

/** Makes sure that all names lead to objects, and the last one to `last`. The paths of what was not there are added to `made`. */
export function makeContainers(
  text: string,
  path: readonly string[],
  last: 'object' | 'array',
  accepted: readonly JsonExtra[],
  made: (readonly string[])[],
): string {
  let rest = text
  for (const [depth, name] of path.entries()) {
    const inner = path.slice(0, depth + 1)
    const type = depth === path.length - 1 ? last : 'object'
    const node = findAccepted(rest, inner, accepted)
    if (node === null) {
      rest = insertMember(rest, path.slice(0, depth), name, type === 'array' ? [] : {})
      made.push(inner)
    } else if (node.type !== type)
      throw new Error(`"${inner.join('.')}" is not ${type === 'array' ? 'a list' : 'an object'}`)
  }
  return rest
}

/** `original`: the text before; null when there was no file. Throws when the file can no longer be read. */
export function unsetMembers(
  text: string,
  { set, made }: Omit<SetResult, 'text'>,
  original: string | null,
): string {
  let rest = text
  for (const { path, before } of [...set].reverse()) {
    const node = findNode(parseJsonc(rest), path)
    if (node !== null) rest = before === null ? removeMember(rest, path) : replaceNode(rest, node, before)
  }
  for (const path of [...made].reverse()) {
    const node = findNode(parseJsonc(rest), path)
    if (node !== null && isEmptyContainer(rest, node)) rest = removeMember(rest, path)
  }
  for (const { path } of set)
    for (const depth of path.keys()) rest = restoreEmpty(rest, path.slice(0, depth), original)
  return rest
}
