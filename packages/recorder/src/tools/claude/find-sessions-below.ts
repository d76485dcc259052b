// Claude Code keeps a folder of transcripts per folder that it was started in. Version 2.1.197 and some later ones use only the hooks
// of exactly that folder, so sessions in a subfolder of the project are not recorded.
import { basename, join } from 'node:path'
import { isInside } from '../cursor/find-folders.ts'
import { textOf } from '../payload.ts'
import type { KeptSession, KeptSessionSources } from '../tool.ts'

export function findSessionsBelow({
  home,
  environment,
  root,
  files,
  transcripts,
  since,
}: KeptSessionSources): KeptSession[] {
  const projects = join(environment.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects')
  // Other folders can have the same name, so the transcript decides.
  const beginning = `${escapeFolder(root)}-`
  return files
    .list(projects)
    .filter(name => name.startsWith(beginning))
    .flatMap(name =>
      files
        .list(join(projects, name))
        .filter(file => file.endsWith('.jsonl'))
        .map(file => join(projects, name, file)),
    )
    .filter(path => (files.modifiedAt(path) ?? 0) >= since)
    .flatMap(path => {
      const [first] = transcripts.readOn(path, 0, ['"cwd"']).lines
      const folder = textOf(first ?? {}, 'cwd')
      if (folder === null || folder === root || !isInside(folder, root)) return []
      return [{ sessionId: basename(path, '.jsonl'), folder }]
    })
}

function escapeFolder(folder: string): string {
  return folder.replace(/[^A-Za-z0-9]/g, '-')
}
