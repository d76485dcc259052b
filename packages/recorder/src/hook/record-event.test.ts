// Whichever disk step fails, the event is still recorded: in the git folder or in the home folder.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Files } from '../spool/files.ts'
import { fallbackFolder, layOut, recorderFolder } from '../spool/layout.ts'
import { listPending } from '../spool/pending.ts'
import { parseEntryText } from '../spool/spool.ts'
import { createFailingProcess } from '../spool/testing/failing-files.ts'
import { createMemoryFiles } from '../spool/testing/memory-files.ts'
import { tools } from '../tools/find-tool.ts'
import { createTranscripts } from '../tools/transcripts.ts'
import { type HookDependencies, recordEvent } from './record-event.ts'

const git: Readonly<Record<string, string>> = {
  '/code/project/.git/HEAD': 'ref: refs/heads/main\n',
  '/code/project/.git/refs/heads/main': `${'a1'.repeat(20)}\n`,
  '/code/project/.git/config':
    '[remote "origin"]\n\turl = https://host/team/project.git\n[user]\n\temail = s@example.org\n',
}

function surround(files: Files): HookDependencies {
  return {
    files,
    now: new Date('2026-03-01T05:03:07.512Z'),
    home: '/home/s',
    workingFolder: '/code/project/src',
    environment: {},
    readText: path => git[path.replaceAll('\\', '/')] ?? null,
    transcripts: createTranscripts((_path, _use, absent) => absent),
    processId: 1,
    random: Math.random,
    loadGit: async () => () => null,
    calledFolder: null,
    resolvePath: path => path,
  }
}

function readEntries(files: Files): unknown[] {
  const folders = [recorderFolder('/code/project/.git'), fallbackFolder('/home/s', '/code/project/.git')]
  return folders.map(layOut).flatMap(layout =>
    listPending({ files, layout }).map(name => {
      const bytes = files.read(join(layout.pending, name))
      return bytes === null ? null : parseEntryText(bytes)?.entry
    }),
  )
}

test.each(['none', 'half'] as const)('a step that is done by %s: one entry', async extent => {
  for (let at = 0; at < 12; at += 1) {
    const disk = createMemoryFiles(() => 0)
    const { files } = createFailingProcess(disk, { at, extent, kind: 'fault' })
    const result = await recordEvent(
      tools.codex,
      'UserPromptSubmit',
      { session_id: 's', prompt: 'x' },
      surround(files),
    )
    expect(result).toEqual({ kind: 'recorded' })
    expect(readEntries(disk)).toMatchObject([
      {
        tool: 'codex',
        prompt: 'x',
        repo: 'project',
        branch: 'main',
        commit: 'a1a1a1a',
        student: 's@example.org',
      },
    ])
  }
})

test('what is not to be recorded leaves no trace in a repository that is not set up', async () => {
  const disk = createMemoryFiles(() => 0)
  const skipped = (reason: string) => ({ kind: 'skipped', reason, folder: null }) as const
  const elsewhere = { ...surround(disk), workingFolder: '/elsewhere' }
  expect(await recordEvent(tools.codex, 'Stop', {}, elsewhere)).toEqual(skipped('it was in no repository'))
  expect(await recordEvent(tools.codex, 'SessionStart', {}, surround(disk))).toEqual(
    skipped('it is not among the events that are recorded'),
  )
  const withoutOrigin = {
    ...surround(disk),
    readText: (path: string) => (path.endsWith('config') ? '' : (git[path] ?? null)),
  }
  expect(await recordEvent(tools.codex, 'Stop', {}, withoutOrigin)).toEqual(
    skipped('the repository has no remote named origin'),
  )
  expect(disk.modifiedAt('/code/project/.git/fairgate')).toBeNull()
})
