// A payload for a trial run of a hook. It names a scratch repository, so that no trial becomes a real entry.
import type { ToolName } from '../../tools/tool.ts'

const text = 'Trial of fairgate-recorder doctor.'
const session = 'fairgate-recorder-doctor'

/** Has every member that leads an event to its repository, under the tool's own names. */
export function buildTrialPayload(tool: ToolName, event: string, root: string, now: Date): object {
  switch (tool) {
    case 'cursor':
      return {
        conversation_id: session,
        generation_id: session,
        model: 'trial',
        hook_event_name: event,
        cursor_version: 'trial',
        workspace_roots: [root],
        cwd: root,
        prompt: text,
        text,
        status: 'completed',
        tool_name: 'Shell',
        tool_input: {},
        tool_output: text,
        error_message: text,
      }
    case 'copilot':
      return {
        sessionId: session,
        timestamp: now.getTime(),
        cwd: root,
        prompt: text,
        toolName: 'bash',
        toolArgs: {},
        toolResult: { resultType: 'success', textResultForLlm: text },
        error: text,
        stopReason: 'end_turn',
        reason: 'complete',
      }
    case 'antigravity':
      return { conversationId: session, workspacePaths: [root], modelName: 'trial', invocationNum: 0 }
    default:
      return {
        session_id: session,
        cwd: root,
        hook_event_name: event,
        transcript_path: null,
        prompt: text,
        tool_name: 'Bash',
        tool_input: {},
        tool_response: tool === 'gemini' ? { llmContent: text } : text,
        error: text,
        last_assistant_message: text,
        prompt_response: text,
        reason: 'exit',
        source: 'startup',
        ...(tool === 'codex' ? { turn_id: session, model: 'trial' } : {}),
        ...(tool === 'gemini' ? { timestamp: now.toISOString() } : {}),
      }
  }
}
