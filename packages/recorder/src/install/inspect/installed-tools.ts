// The tools that were set up in a work tree, whatever has happened to their hooks since.
import { join } from 'node:path'
import type { ReadText } from '../../git/read-text.ts'
import { tools } from '../../tools/find-tool.ts'
import { findInstallation } from '../../tools/is-installed.ts'
import { type ToolName, toolNames } from '../../tools/tool.ts'
import type { Manifest } from '../files/manifest.ts'
import { recipes } from '../settings/recipes.ts'

export function listInstalledTools({ files }: Manifest, root: string): ToolName[] {
  return toolNames.filter(tool => files.some(({ path }) => path === join(root, ...recipes[tool].file)))
}

/** The tools that no longer have any of our hooks, as after `git clean -fdx`. */
export function findGoneTools(
  manifest: Manifest,
  root: string,
  home: string,
  readText: ReadText,
): ToolName[] {
  return listInstalledTools(manifest, root).filter(tool => {
    const read = recipes[tool].rootOf?.({ root, readText }) ?? root
    return findInstallation(tools[tool], read, home, readText) === null
  })
}
