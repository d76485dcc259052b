// Finds out which AI tools are used here, by the files that they leave and by their programs.
import { delimiter, join } from 'node:path'
import { tools } from '../tools/find-tool.ts'
import { findInstallation } from '../tools/is-installed.ts'
import { type ToolName, toolNames } from '../tools/tool.ts'
import { recipes } from './settings/find-recipe.ts'
import type { Places } from './settings/recipe.ts'

export type Detection = Places & {
  readonly exists: (path: string) => boolean
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Tools that have our hooks count too. */
export function detectTools(detection: Detection): ToolName[] {
  const { root, home, readText, exists, environment } = detection
  const folders = (environment.PATH ?? environment.Path ?? '').split(delimiter).filter(Boolean)
  const hasProgram = (name: string) =>
    folders.some(folder => ['', '.exe', '.cmd'].some(ending => exists(join(folder, name + ending))))
  return toolNames.filter(name => {
    const { project, home: atHome, programs } = recipes[name].signs
    return (
      project.some(sign => exists(join(root, sign))) ||
      atHome.some(sign => exists(join(home, sign))) ||
      programs.some(hasProgram) ||
      findInstallation(tools[name], root, home, readText) !== null
    )
  })
}
