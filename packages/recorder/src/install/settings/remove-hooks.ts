// Removes our hooks from a settings file that others have changed since. Their changes stay.
import { type JsonContainer, type JsonNode, parseJsonc } from '../jsonc/parse-jsonc.ts'
import { childrenOf, findNode, readValue } from '../jsonc/read-jsonc.ts'
import { removeChild } from '../jsonc/remove-child.ts'
import { restoreEmpty } from '../jsonc/set-members.ts'
import { findOwnCommands, type IsOwn } from './own-hooks.ts'
import type { Recipe } from './recipe.ts'

export type RemovalFacts = {
  readonly recipe: Recipe
  readonly events: readonly string[]
  /** Paths of members that were not there before us. */
  readonly added: readonly (readonly string[])[]
  /** The text before our first change; null when there was no file. */
  readonly original: string | null
  /** Tells our commands from those of other repositories. */
  readonly isOwn?: IsOwn
}

/** Throws JsoncError when the file can no longer be read. */
export function removeHooks(
  text: string,
  { recipe, events, added, original, isOwn = () => true }: RemovalFacts,
): string {
  let rest = text
  for (const event of events) rest = removeItems(rest, recipe, recipe.listOf(event), isOwn)
  const deepestFirst = [...added].reverse().sort((left, right) => right.length - left.length)
  for (const path of deepestFirst) rest = removeAdded(rest, path, added)
  for (const path of [
    [],
    ...events.map(recipe.listOf),
    ...events.map(event => recipe.listOf(event).slice(0, -1)),
  ])
    rest = restoreEmpty(rest, path, original)
  return rest
}

function removeItems(text: string, recipe: Recipe, path: readonly string[], isOwn: IsOwn): string {
  const list = findNode(parseJsonc(text), path)
  if (list?.kind !== 'array') return text
  const isOurs = (node: JsonNode) => findOwnCommands(readValue(node), recipe.tool).some(isOwn)
  const index = list.items.findIndex(isOurs)
  const item = list.items[index]
  if (item === undefined) return text
  const inner = findHooks(item)
  const own = inner?.items.findIndex(isOurs) ?? -1
  const isShared = inner !== null && inner.items.length > 1 && own >= 0
  const rest = isShared ? removeChild(text, inner, own) : removeChild(text, list, index)
  return removeItems(rest, recipe, path, isOwn)
}

/** The list within a group. */
function findHooks(item: JsonNode): Extract<JsonContainer, { kind: 'array' }> | null {
  const hooks = findNode(item, ['hooks'])
  return hooks?.kind === 'array' ? hooks : null
}

/** Removes a member that we created, if nobody has put anything into it. */
function removeAdded(text: string, path: readonly string[], others: readonly (readonly string[])[]): string {
  const root = parseJsonc(text)
  const parent = findNode(root, path.slice(0, -1))
  const node = findNode(root, path)
  if (parent?.kind !== 'object' || node === null) return text
  // The version member is needed as long as somebody has hooks in what we created.
  const isUsed =
    node.kind === 'scalar'
      ? others.some(other => other.length === 1 && other[0] !== path[0] && findNode(root, other) !== null)
      : childrenOf(node).length > 0 || text.slice(node.start + 1, node.end - 1).trim() !== ''
  if (isUsed) return text
  return removeChild(
    text,
    parent,
    parent.members.findLastIndex(({ name }) => name === path.at(-1)),
  )
}
