// The payload of a trial becomes one entry, for each event of each tool, in the repository that it names.
import { expect, test } from 'bun:test'
import { recordEvent } from '../../hook/record-event.ts'
import { recorderFolder } from '../../spool/layout.ts'
import { listPending } from '../../spool/pending.ts'
import { openSpool } from '../../spool/spool.ts'
import { createMemoryFiles } from '../../spool/testing/memory-files.ts'
import { tools } from '../../tools/find-tool.ts'
import { createTranscripts } from '../../tools/transcripts.ts'
import { buildTrialPayload } from './synthetic-payload.ts'

const git: Readonly<Record<string, string>> = {
  '/trial/.git/HEAD': 'ref: refs/heads/trial\n',
  '/trial/.git/config': '[remote "origin"]\n\turl = trial\n[user]\n\temail = trial@example.org\n',
}

const events = Object.values(tools).flatMap(tool => tool.events.map(event => [tool.name, event] as const))
test.each(events)('%s %s', async (tool, event) => {
  const now = new Date('2026-03-01T05:03:07.512Z')
  const surroundings = {
    files: createMemoryFiles(() => 0),
    home: '/home/s',
    workingFolder: '/code/project',
    environment: {},
    readText: (path: string) => git[path] ?? null,
    transcripts: createTranscripts((_path, _use, absent) => absent),
    processId: 1,
    random: Math.random,
    loadGit: async () => () => null,
    calledFolder: null,
    resolvePath: (path: string) => path,
  }
  const payload = { ...buildTrialPayload(tool, event, '/trial', now) }
  expect(await recordEvent(tools[tool], event, payload, { ...surroundings, now })).toEqual({
    kind: 'recorded',
  })
  const spool = openSpool(recorderFolder('/trial/.git'), { ...surroundings, now: () => now })
  expect(listPending(spool)).toHaveLength(1)
})
