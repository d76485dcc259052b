// Engine tests: recorders' reports about themselves.
import { expect, test } from 'bun:test'
import type { SeenRecorder } from '../../statements/recorders.ts'
import type { Current } from './store-actions.ts'

const recorder: SeenRecorder = {
  teamId: 'team-1',
  tokenId: 'lt_1',
  cloneId: '00000000',
  version: '0.1.0',
  unsent: 3,
  oldestAt: 500,
  rejected: 0,
  gone: ['codex'],
  clockBehindMs: -7_200_000,
  seenAt: 1000,
}

export function describeRecorders(current: Current): void {
  const note = (...recorders: readonly SeenRecorder[]) => current().write.noteRecorders({ recorders })
  const list = (teamId = 'team-1') => current().read.listRecorders({ teamId })

  test('the newest of each token and clone is kept', async () => {
    await note(recorder, { ...recorder, teamId: 'team-2', tokenId: 'lt_2' })
    await note({ ...recorder, unsent: 0, oldestAt: null, clockBehindMs: null, seenAt: 2000 })
    await note({ ...recorder, unsent: 9, seenAt: 1500 })
    expect(await list()).toEqual([
      { ...recorder, unsent: 0, oldestAt: null, clockBehindMs: null, seenAt: 2000 },
    ])
    expect(await list('team-2')).toMatchObject([{ clockBehindMs: -7_200_000 }])
    expect(await list('team-3')).toEqual([])
  })

  test('a token has at most 64 clones, whatever it sends', async () => {
    const many = Array.from({ length: 70 }, (_, n) => ({
      ...recorder,
      cloneId: n.toString(16).padStart(8, '0'),
    }))
    await note(...many)
    expect(await list()).toHaveLength(64)
    await note({ ...recorder, version: '0.2.0', seenAt: 3000 })
    expect((await list()).filter(({ version }) => version === '0.2.0')).toHaveLength(1)
  })
}
