// Keeps files that belong only to this machine out of commits, without touching a committed .gitignore.
import { insertBlock, removeBlock, writeBlock } from '../files/marked-block.ts'

/** The text of `info/exclude` with these paths added. They start at the root and use slashes. Paths that it already contains stay. */
export function writeExclude(text: string | null, paths: readonly string[]): string {
  const own = text === null ? [] : listExcluded(text)
  const all = [...new Set([...own, ...paths.map(path => `/${path}`)])].sort()
  if (all.length === 0) return text ?? ''
  const block = writeBlock(
    'hooks that belong to this machine. "fairgate-recorder uninstall" removes it.',
    all,
  )
  return insertBlock(text ?? '', block, Number.POSITIVE_INFINITY)
}

function listExcluded(text: string): string[] {
  const block = text.slice(removeBlock(text) === text ? text.length : text.indexOf('# >>> fairgate-recorder'))
  return block
    .split(/\r?\n/)
    .slice(1)
    .filter((line, index, lines) => {
      const end = lines.findIndex(other => other.startsWith('# <<< fairgate-recorder'))
      return index < end && line.startsWith('/')
    })
}
