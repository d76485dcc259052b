// Gemini CLI keeps a list of the folders that it was started in. It uses only the hooks of exactly that folder, so sessions in a
// subfolder of the project are not recorded.
import { join } from 'node:path'
import { isInside } from '../cursor/find-folders.ts'
import { objectOf, textOf } from '../payload.ts'
import type { KeptSession, KeptSessionSources } from '../tool.ts'

export function findSessionsBelow({
  home,
  root,
  readText,
  files,
  transcripts,
  since,
}: KeptSessionSources): KeptSession[] {
  const kept = join(home, '.gemini')
  return listProjects(readText(join(kept, 'projects.json')))
    .filter(({ folder }) => folder !== root && isInside(folder, root))
    .flatMap(({ folder, name }) => {
      const chats = join(kept, 'tmp', name, 'chats')
      return files
        .list(chats)
        .map(file => join(chats, file))
        .filter(path => path.endsWith('.jsonl') && (files.modifiedAt(path) ?? 0) >= since)
        .flatMap(path => {
          const [first] = transcripts.readOn(path, 0, ['"sessionId"']).lines
          const sessionId = textOf(first ?? {}, 'sessionId')
          return sessionId === null || first?.kind === 'subagent' ? [] : [{ sessionId, folder }]
        })
    })
}

function listProjects(text: string | null): { folder: string; name: string }[] {
  try {
    const projects = objectOf(JSON.parse(text ?? '{}'), 'projects')
    return Object.entries(projects).flatMap(([folder, name]) =>
      typeof name === 'string' && /^[\w.-]+$/.test(name) && !/^\.+$/.test(name) ? [{ folder, name }] : [],
    )
  } catch {
    return []
  }
}
