// Git's list of ignored files, `info/exclude`, with a block of paths that belong to this machine.
import { findBlock, insertBlock, listsLine, type Mark, writeBlock } from './marked-block.ts'

const notes: Readonly<Record<Mark, string>> = {
  'fairgate-recorder': 'hooks that belong to this machine. "fairgate-recorder uninstall" removes it.',
  'fairgate-connection': 'settings that hold a gateway key. "fairgate-recorder disconnect" removes it.',
}

/** Paths start with a slash, at the top of a work tree. Those that the block already has, perhaps of another work tree, stay. */
export function excludePaths(text: string, paths: readonly string[], mark: Mark): string {
  const listed = findBlock(text, () => false, mark)?.others.split(/\r?\n/) ?? []
  const all = [...new Set([...listed.filter(line => line.startsWith('/')), ...paths])].sort()
  if (all.length === 0) return text
  return insertBlock(
    text,
    writeBlock(notes[mark], all, '', mark),
    Number.POSITIVE_INFINITY,
    listsLine(all),
    mark,
  )
}
