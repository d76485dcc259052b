// Tells our hooks in a settings file from everybody else's, by their command.
import type { ToolName } from '../../tools/tool.ts'

/** The commands of ours for this tool anywhere within a value. */
export function findOwnCommands(value: unknown, tool: ToolName): string[] {
  if (typeof value === 'string') return commandPattern(tool).test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(member => findOwnCommands(member, tool))
}

function commandPattern(tool: ToolName): RegExp {
  return new RegExp(`fairgate-recorder[\\s\\S]*\\bhook ${tool}\\b`)
}
