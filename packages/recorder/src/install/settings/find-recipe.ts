// Lists the recipes, one per tool.
import type { ToolName } from '../../tools/tool.ts'
import type { Recipe } from './recipe.ts'
import { antigravityRecipe } from './recipes/antigravity.ts'
import { claudeRecipe } from './recipes/claude.ts'
import { codexRecipe } from './recipes/codex.ts'
import { copilotRecipe } from './recipes/copilot.ts'
import { cursorRecipe } from './recipes/cursor.ts'
import { geminiRecipe } from './recipes/gemini.ts'

export const recipes: Readonly<Record<ToolName, Recipe>> = {
  claude: claudeRecipe,
  cursor: cursorRecipe,
  codex: codexRecipe,
  gemini: geminiRecipe,
  copilot: copilotRecipe,
  antigravity: antigravityRecipe,
}
