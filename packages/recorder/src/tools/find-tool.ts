// The list of tools that the recorder knows. Add new ones here.
import { antigravity } from './antigravity/antigravity.ts'
import { claude } from './claude/claude.ts'
import { codex } from './codex/codex.ts'
import { copilot } from './copilot/copilot.ts'
import { cursor } from './cursor/cursor.ts'
import { gemini } from './gemini/gemini.ts'
import type { Tool, ToolName } from './tool.ts'

/** In the order of spec 6. */
export const tools: Readonly<Record<ToolName, Tool>> = { claude, cursor, codex, gemini, copilot, antigravity }

export function findTool(name: string): Tool | null {
  return Object.values(tools).find(tool => tool.name === name) ?? null
}
