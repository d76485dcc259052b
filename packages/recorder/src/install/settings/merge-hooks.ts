// Adds our hooks, and nothing else, to the text of a tool's settings.
import { insertItem, insertMember } from '../jsonc/insert-child.ts'
import { type JsonNode, parseAccepted } from '../jsonc/parse-jsonc.ts'
import { findNode, readValue } from '../jsonc/read-jsonc.ts'
import { indentationAt, readStyle, renderValue } from '../jsonc/text-style.ts'
import { findOwnCommands, type IsOwn } from './own-hooks.ts'
import type { HookCommand, Recipe } from './recipe.ts'

export type Merged = {
  readonly text: string
  /** Paths of members that were not there before. */
  readonly added: readonly (readonly string[])[]
}

/** `text` is null when there is no file. `isOwn` tells our commands from those of other repositories. A second merge changes nothing. Throws with the reason for the user. */
export function mergeHooks(
  text: string | null,
  recipe: Recipe,
  events: readonly string[],
  commandOf: (event: string) => HookCommand,
  isOwn: IsOwn = () => true,
): Merged {
  const added: (readonly string[])[] = []
  let merged = text === null || text.trim() === '' ? '{}\n' : text
  for (const [name, value] of Object.entries(recipe.rootMembers)) {
    if (readTree(merged, recipe, [name]) !== null) continue
    merged = insertMember(merged, [], name, value)
    added.push([name])
  }
  for (const event of events) {
    const path = recipe.listOf(event)
    merged = makeList(merged, recipe, path, added)
    merged = putItem(merged, recipe, path, recipe.item(event, commandOf(event)), isOwn)
  }
  return { text: merged, added }
}

function readTree(text: string, recipe: Recipe, path: readonly string[]): JsonNode | null {
  const root = parseAccepted(text, recipe.accepts)
  if (root.kind !== 'object') throw new Error('it does not contain a JSON object')
  return findNode(root, path)
}

/** Makes sure that there is a list under the path. */
function makeList(
  text: string,
  recipe: Recipe,
  path: readonly string[],
  added: (readonly string[])[],
): string {
  let made = text
  for (const [depth, name] of path.entries()) {
    const inner = path.slice(0, depth + 1)
    const isLast = depth === path.length - 1
    const node = readTree(made, recipe, inner)
    if (node === null) {
      made = insertMember(made, path.slice(0, depth), name, isLast ? [] : {})
      added.push(inner)
    } else if (node.kind !== (isLast ? 'array' : 'object')) {
      throw new Error(`"${inner.join('.')}" is not ${isLast ? 'a list' : 'an object'}`)
    }
  }
  return made
}

/** An existing hook of ours is kept, or updated where it is. */
function putItem(text: string, recipe: Recipe, path: readonly string[], item: object, isOwn: IsOwn): string {
  const list = readTree(text, recipe, path)
  if (list?.kind !== 'array') throw new Error(`"${path.join('.')}" is not a list`)
  const own = list.items.find(node => findOwnCommands(readValue(node), recipe.tool).some(isOwn))
  if (own === undefined) return insertItem(text, path, item)
  if (JSON.stringify(readValue(own)) === JSON.stringify(item)) return text
  if (hasOtherHooks(readValue(own), recipe)) return text
  const value = text.slice(own.start, own.end).includes('\n')
    ? renderValue(item, readStyle(text), indentationAt(text, own.start))
    : JSON.stringify(item)
  return text.slice(0, own.start) + value + text.slice(own.end)
}

/** Whether somebody has added another hook to our group. That hook stays as it is. */
function hasOtherHooks(value: unknown, recipe: Recipe): boolean {
  const hooks = typeof value === 'object' && value !== null && 'hooks' in value ? value.hooks : []
  return Array.isArray(hooks) && hooks.some(hook => findOwnCommands(hook, recipe.tool).length === 0)
}
