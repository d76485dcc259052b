// Reads everything in a folder (texts, permissions, links) for a comparison before and after.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

export type TreeEntry = { readonly mode: number; readonly text: string }

/** Path → what is there, without git's objects and logs, which change by themselves. */
export function readTree(
  folder: string,
  isWanted: (name: string) => boolean = () => true,
): Record<string, TreeEntry> {
  const entries: Record<string, TreeEntry> = {}
  const visit = (name: string): void => {
    const path = join(folder, name)
    const facts = lstatSync(path)
    if (/(?:^|\/)\.git\/(?:objects|logs|index)/.test(`/${name}`)) return
    if (facts.isDirectory()) {
      if (name !== '') entries[name] = { mode: facts.mode, text: 'folder' }
      for (const child of readdirSync(path)) visit(join(name, child))
    } else if (isWanted(name)) {
      const text = facts.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, 'latin1')
      entries[name] = { mode: facts.mode, text }
    }
  }
  visit('')
  return entries
}
