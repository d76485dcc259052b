// Removes our hooks from a settings file that others have changed since. Their changes stay.

import { tools } from '../../tools/find-tool.ts'
import { isEmptyContainer, removeChild, removeMember, restoreEmpty } from '../jsonc/edit-jsonc.ts'
import { childrenOf, findNode, type JsonNode, parseJsonc, readValue } from '../jsonc/jsonc.ts'
import { findOwnCommands, type IsOwn } from './own-hooks.ts'
import type { Recipe } from './recipe.ts'

export type RemovalFacts = {
  readonly recipe: Recipe
  /** Paths of members that were not there before us. */
  readonly added: readonly (readonly string[])[]
  /** The text before our first change; null when there was no file. */
  readonly original: string | null
  /** Separates our commands from those of other repositories. */
  readonly isOwn?: IsOwn
}

/** Throws when the file can no longer be read. */
export function removeHooks(
  text: string,
  { recipe, added, original, isOwn = () => true }: RemovalFacts,
): string {
  const { events } = tools[recipe.tool]
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
  if (list?.type !== 'array') return text
  const isOurs = (node: JsonNode) => findOwnCommands(readValue(node), recipe.tool).some(isOwn)
  const index = childrenOf(list).findIndex(isOurs)
  const item = childrenOf(list)[index]
  if (item === undefined) return text
  // The list within a group.
  const inner = findNode(item, ['hooks'])
  const hooks = inner?.type === 'array' ? childrenOf(inner) : []
  const own = hooks.findIndex(isOurs)
  const isShared = inner !== null && hooks.length > 1 && own >= 0
  const rest = isShared ? removeChild(text, inner, own) : removeChild(text, list, index)
  return removeItems(rest, recipe, path, isOwn)
}

/** Removes a member that we created, if it is still empty. */
function removeAdded(text: string, path: readonly string[], others: readonly (readonly string[])[]): string {
  const root = parseJsonc(text)
  const node = findNode(root, path)
  if (node === null) return text
  // The version member is needed as long as somebody has hooks in what we created.
  const isUnused =
    node.children === undefined
      ? others.every(other => other.length > 1 || other[0] === path[0] || findNode(root, other) === null)
      : isEmptyContainer(text, node)
  return isUnused ? removeMember(text, path) : text
}
