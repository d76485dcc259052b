// A Cursor window can have several workspace roots. An event belongs to the one that contains its folder or file.
import { objectOf, textOf, textsOf } from '../../json/members.ts'
import type { Payload, Surroundings } from '../tool.ts'

export function findCursorFolders(payload: Payload, surroundings: Surroundings): string[] {
  const roots = textsOf(payload, 'workspace_roots').map(toNativePath)
  const input = objectOf(payload, 'tool_input')
  const places = [
    textOf(payload, 'cwd'),
    textOf(input, 'cwd', 'working_directory'),
    textOf(input, 'file_path', 'path'),
  ]
    .filter(place => place !== null)
    .map(toNativePath)
  const holding = places.flatMap(place => roots.filter(root => isInside(place, root)))
  const { environment, workingFolder } = surroundings
  return [...holding, ...roots, environment.CURSOR_PROJECT_DIR ?? workingFolder, workingFolder]
}

/** On Windows roots look like `/c:/Users/…`. */
function toNativePath(path: string): string {
  return /^\/[a-z]:[/\\]/i.test(path) ? path.slice(1) : path
}

export function isInside(path: string, root: string): boolean {
  const [inner, outer] = [path, root].map(place => place.replace(/[/\\]+/g, '/').replace(/\/$/, ''))
  return inner === outer || (inner ?? '').startsWith(`${outer}/`)
}
