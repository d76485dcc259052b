// Only the owner can read what was recorded, whatever the machine's umask and sharing settings are.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeLogbook, startFakeLogbook } from './testing/fake-logbook.ts'
import { readFixture } from './testing/fixtures.ts'
import { readTree } from './testing/read-tree.ts'
import { recorderFile, runProgram } from './testing/recorder-program.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

let place: WorkPlace
let logbook: FakeLogbook
beforeAll(async () => {
  place = await createWorkPlace({ hook: false })
  logbook = startFakeLogbook()
  await place.git(['config', 'core.sharedRepository', 'all'])
  // The state that `git init --shared` leaves: files created inside belong to the group.
  chmodSync(join(place.root, '.git'), 0o2777)
})
afterAll(async () => {
  await logbook.stop()
  place.remove()
})

/** Runs as in a shell whose umask hides nothing from others. */
const runOpenly = async (commandArguments: readonly string[], input: string) => {
  const line = `umask 000; exec node '${recorderFile}' ${commandArguments.join(' ')}`
  const result = await runProgram(['sh', '-c', line], {
    folder: place.root,
    variables: place.variables,
    input,
  })
  expect(result).toMatchObject({ code: 0, errors: '' })
}
const happen = async () => {
  await runOpenly(['hook', 'codex', 'Stop'], readFixture('codex', 'Stop.json', { ...place, now: '' }))
  // Its prompt is looked up in a transcript, which creates notes and claims.
  const transcript = join(place.home, '.copilot/session-state/s/events.jsonl')
  await runOpenly(
    ['hook', 'copilot', 'agentStop'],
    JSON.stringify({ sessionId: 's', timestamp: 1, cwd: place.root, transcriptPath: transcript }),
  )
  await runOpenly(
    ['hook', 'antigravity', 'PreInvocation'],
    readFixture('antigravity', 'PreInvocation.json', { ...place, now: '' }),
  )
}

function findOpen(): string[] {
  const trees = [join(place.root, '.git', 'fairgate'), join(place.home, '.fairgate')].map(folder => {
    return Object.entries(readTree(folder))
  })
  return trees.flat().flatMap(([name, { mode }]) => ((mode & 0o077) === 0 ? [] : [name]))
}

// Shown to fail on the build before, which relied on the umask of the process.
test('everything recorded, sent and noted is closed to others, also with umask 000 in a shared repository', async () => {
  // A line in the recorder's own log, in the home folder.
  await runOpenly(['hook', 'nobody', 'Stop'], '{}')
  await happen()
  expect(findOpen()).toEqual([])
  await runOpenly(['init', '--tools', 'codex', '--url', logbook.url, '--token-stdin'], 'aitc_token')
  await runOpenly(['send'], '')
  expect(logbook.entries()).toHaveLength(3)
  await happen()
  const tree = Object.keys(readTree(join(place.root, '.git', 'fairgate')))
  for (const folder of ['pending', 'sent', 'notes', 'completions', 'sequence']) expect(tree).toContain(folder)
  expect(findOpen()).toEqual([])
})

test('files that an older recorder left readable are closed by the next event', async () => {
  Bun.spawnSync(['chmod', '-R', 'a+rwX', join(place.root, '.git', 'fairgate'), join(place.home, '.fairgate')])
  expect(findOpen()).not.toEqual([])
  await runOpenly(['hook', 'nobody', 'Stop'], '{}')
  await happen()
  expect(findOpen()).toEqual([])
})
