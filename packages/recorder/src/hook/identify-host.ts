// Finds out which tool really runs a hook. Some tools also run the hooks that were configured for Claude Code or another tool.
import { textOf } from '../json/members.ts'
import type { Payload, ToolName } from '../tools/tool.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The tool that the hook was configured for, unless a sign points to another. */
export function identifyHost(called: ToolName, payload: Payload, environment: Environment): ToolName {
  return findSignature(payload) ?? (called === 'claude' ? findGuest(payload, environment) : null) ?? called
}

/** Members that only one tool sends. */
function findSignature(payload: Payload): ToolName | null {
  if (textOf(payload, 'cursor_version') !== null) return 'cursor'
  if (textOf(payload, 'conversationId') !== null) return 'antigravity'
  if (textOf(payload, 'turn_id') !== null && textOf(payload, 'model') !== null) return 'codex'
  return null
}

/** Weaker signs, which count only for calls of Claude Code's own hooks. */
function findGuest(payload: Payload, environment: Environment): ToolName | null {
  const transcript = (textOf(payload, 'transcript_path') ?? '').replaceAll('\\', '/')
  const isClaudeTranscript = transcript.includes('/.claude/') || transcript.includes('/claude/projects/')
  const isTimed = payload.timestamp !== undefined && !isClaudeTranscript
  const hasResult = payload.tool_result !== undefined && payload.tool_response === undefined
  if (isTimed || hasResult || transcript.includes('/.copilot/')) return 'copilot'
  if (textOf(payload, 'session_id') === null && textOf(payload, 'sessionId') !== null) return 'copilot'
  return environment.CURSOR_VERSION !== undefined && !isClaudeTranscript ? 'cursor' : null
}
