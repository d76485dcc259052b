// Google Antigravity: its one event, whose payload has no prompt, which the hook or the scan at push finds in the transcript.
import { join } from 'node:path'
import { textOf, textsOf } from '../../json/members.ts'
import type { Notes } from '../../spool/notes.ts'
import { isInside } from '../cursor/find-folders.ts'
import { promptFields } from '../event-fields.ts'
import { readSessionNote } from '../session-notes.ts'
import type { MappedEvent, Payload, Surroundings, Tool, TranscriptLine } from '../tool.ts'
import {
  antigravityPrompts,
  findPrompts,
  longestBeforeHookMs,
  promptKey,
  promptMarks,
} from './find-prompts.ts'

export const antigravity: Tool = {
  name: 'antigravity',
  events: ['PreInvocation'],
  hookFiles: (root, home) => [
    join(root, '.agents', 'hooks.json'),
    join(home, '.gemini', 'config', 'hooks.json'),
  ],
  projectVariable: null,
  findFolders: (payload, { workingFolder }) => {
    const workspaces = textsOf(payload, 'workspacePaths')
    // The hook runs in the folder of its configuration.
    const own = workspaces.filter(workspace => isInside(workingFolder, workspace))
    return [...own, ...(own.length > 0 ? [] : workspaces), workingFolder]
  },
  mapEvent,
  unreported: antigravityPrompts,
}

function mapEvent(_event: string, payload: Payload, surroundings: Surroundings, notes: Notes): MappedEvent {
  const conversation =
    textOf(payload, 'conversationId') ?? surroundings.environment.ANTIGRAVITY_CONVERSATION_ID ?? ''
  const transcript = textOf(payload, 'transcriptPath')
  const model = textOf(payload, 'modelName')
  const mapped = { ts: surroundings.now, sessionId: conversation }
  if (conversation === '' || transcript === null) return { ...mapped, fields: promptFields(model, null) }
  const notedAt = surroundings.now.getTime() - longestBeforeHookMs
  const session = { transcript, model, isTurnEnd: false, begin: () => ({ from: 0, notedAt }) }
  const isEnough = (line: TranscriptLine) => findPrompts([line]).length > 0
  const { lines } = surroundings.transcripts.readBack(transcript, promptMarks, isEnough)
  const prompt = findPrompts(lines).at(-1)
  const since = readSessionNote(notes, transcript)?.notedAt ?? notedAt
  if (prompt === undefined || prompt.createdAt.getTime() < since)
    return { ...mapped, session, fields: promptFields(model, null) }
  return {
    ...mapped,
    session,
    fields: promptFields(model, prompt.text),
    once: { key: promptKey(conversation, prompt.step), otherwise: promptFields(model, null) },
  }
}
