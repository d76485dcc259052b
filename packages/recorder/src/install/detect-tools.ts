// Finds out which AI tools are used here, by the files that they leave and by their programs.
import { delimiter, join } from 'node:path'
import { findInstallation, tools } from '../tools/find-tool.ts'
import { type ToolName, toolNames } from '../tools/tool.ts'
import type { Places, Signs } from './settings/recipe.ts'
import { recipes } from './settings/recipes.ts'

export type Detection = Places & { readonly exists: (path: string) => boolean }

/** Tools that have our hooks count too. */
export function detectTools(detection: Detection): ToolName[] {
  const { root, home, readText } = detection
  const isShown = createIsShown(detection)
  return toolNames.filter(
    name => isShown(recipes[name].signs) || findInstallation(tools[name], root, home, readText) !== null,
  )
}

export function createIsShown({ root, home, exists, environment }: Detection): (signs: Signs) => boolean {
  const folders = (environment.PATH ?? environment.Path ?? '').split(delimiter).filter(Boolean)
  const hasProgram = (name: string) =>
    folders.some(folder => ['', '.exe', '.cmd'].some(ending => exists(join(folder, name + ending))))
  return ({ project, home: atHome, programs }) =>
    project.some(sign => exists(join(root, sign))) ||
    atHome.some(sign => exists(join(home, sign))) ||
    programs.some(hasProgram)
}
