// Adds our hooks, and nothing else, to the text of a tool's settings.

import { tools } from '../../tools/find-tool.ts'
import { insertItem, insertMember, replaceNode } from '../jsonc/edit-jsonc.ts'
import {
  childrenOf,
  endOf,
  findAccepted,
  indentationAt,
  readStyle,
  readValue,
  renderValue,
  textOrEmpty,
} from '../jsonc/jsonc.ts'
import { makeContainers } from '../jsonc/set-members.ts'
import { findOwnCommands, type IsOwn } from './own-hooks.ts'
import type { HookCommand, Recipe } from './recipe.ts'

export type Merged = {
  readonly text: string
  /** Paths of members that were not there before. */
  readonly added: readonly (readonly string[])[]
}

/** `text` is null when there is no file. `isOwn` separates our commands from those of other repositories. A second merge changes nothing. Throws with the reason for the user. */
export function mergeHooks(
  text: string | null,
  recipe: Recipe,
  commandOf: (event: string) => HookCommand,
  isOwn: IsOwn = () => true,
): Merged {
  const added: (readonly string[])[] = []
  let merged = textOrEmpty(text)
  for (const [name, value] of Object.entries(recipe.rootMembers)) {
    if (findAccepted(merged, [name], recipe.accepts) !== null) continue
    merged = insertMember(merged, [], name, value)
    added.push([name])
  }
  for (const event of tools[recipe.tool].events) {
    const path = recipe.listOf(event)
    merged = makeContainers(merged, path, 'array', recipe.accepts, added)
    merged = putItem(merged, recipe, path, recipe.item(event, commandOf(event)), isOwn)
  }
  return { text: merged, added }
}

/** An existing hook of ours is kept, or updated where it is. */
function putItem(text: string, recipe: Recipe, path: readonly string[], item: object, isOwn: IsOwn): string {
  const list = findAccepted(text, path, recipe.accepts)
  const own = (list === null ? [] : childrenOf(list)).find(node =>
    findOwnCommands(readValue(node), recipe.tool).some(isOwn),
  )
  if (own === undefined) return insertItem(text, path, item)
  const known: unknown = readValue(own)
  if (JSON.stringify(known) === JSON.stringify(item) || hasOtherHooks(known, recipe)) return text
  const isLaidOut = text.slice(own.offset, endOf(own)).includes('\n')
  const written = isLaidOut ? renderValue(item, readStyle(text), indentationAt(text, own.offset)) : null
  return replaceNode(text, own, written ?? JSON.stringify(item))
}

/** Whether somebody has added another hook to our group. That hook stays as it is. */
function hasOtherHooks(value: unknown, recipe: Recipe): boolean {
  const hooks = typeof value === 'object' && value !== null && 'hooks' in value ? value.hooks : []
  return Array.isArray(hooks) && hooks.some(hook => findOwnCommands(hook, recipe.tool).length === 0)
}
