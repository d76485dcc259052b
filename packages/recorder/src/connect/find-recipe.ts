// Lists the recipes of the connection, one per tool.
import type { ConnectableTool } from '@fairgate/contracts/agents/known-tools.ts'
import type { ConnectionRecipe } from './recipe.ts'
import { claudeConnection } from './recipes/claude.ts'
import { codexConnection } from './recipes/codex.ts'
import { copilotConnection } from './recipes/copilot.ts'
import { geminiConnection } from './recipes/gemini.ts'
import { opencodeConnection } from './recipes/opencode.ts'
import { piConnection } from './recipes/pi.ts'
import { qwenConnection } from './recipes/qwen.ts'

export const connections: Readonly<Record<ConnectableTool, ConnectionRecipe>> = {
  claude: claudeConnection,
  codex: codexConnection,
  gemini: geminiConnection,
  copilot: copilotConnection,
  opencode: opencodeConnection,
  qwen: qwenConnection,
  pi: piConnection,
}
