// Looks things up in a tree of JSON with comments.
import type { JsonContainer, JsonNode } from './parse-jsonc.ts'

/** The plain value. */
export function readValue(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.items.map(readValue)
  return Object.fromEntries(node.members.map(({ name, value }) => [name, readValue(value)]))
}

/** The node under these names; null when there is none. Of several members with the same name the last counts, as in `JSON.parse`. */
export function findNode(root: JsonNode, path: readonly string[]): JsonNode | null {
  let node: JsonNode | undefined = root
  for (const name of path) {
    if (node?.kind !== 'object') return null
    node = node.members.findLast(member => member.name === name)?.value
  }
  return node ?? null
}

export function childrenOf(container: JsonContainer): readonly { start: number; end: number }[] {
  return container.kind === 'object' ? container.members : container.items
}
