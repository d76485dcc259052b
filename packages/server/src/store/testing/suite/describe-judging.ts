// Engine tests: the record of judging and the drafts. The record has no gaps, and of writers who have read the same only one succeeds.
import { expect, test } from 'bun:test'
import { isJudgingSealed } from '../../statements/judging-records.ts'
import type { Current } from './store-actions.ts'

const without = { audit: [], draft: null }
const record = (body: string) => ({ kind: 'setup', at: 1000, actor: 'admin', body })

export function describeJudging(current: Current): void {
  test('records are numbered in order, and read on from any of them', async () => {
    const { read, write } = current()
    expect(await write.appendJudging({ after: 0, records: [record('1'), record('2')], ...without })).toBe(
      true,
    )
    expect(await write.appendJudging({ after: 2, records: [record('3')], ...without })).toBe(true)
    const rows = await read.readJudging({ after: 1 })
    expect(rows.map(({ seq, body }) => [seq, body])).toEqual([
      [2, '2'],
      [3, '3'],
    ])
  })

  test('of writers at once who have read the same, one writes all of its records and the others nothing', async () => {
    const { read, write } = current()
    const ended = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async name => ({
        name,
        isWritten: await write.appendJudging({
          after: 0,
          records: [record(`${name}1`), record(`${name}2`)],
          ...without,
        }),
      })),
    )
    const winners = ended.filter(({ isWritten }) => isWritten).map(({ name }) => name)
    expect(winners).toHaveLength(1)
    const bodies = (await read.readJudging({ after: 0 })).map(({ body }) => body)
    expect(bodies).toEqual([`${winners[0]}1`, `${winners[0]}2`])
  })

  test('the judging of an event file is written with the rest of it, or nothing of it is', async () => {
    const { read, write } = current()
    const announcement = {
      announcement_id: 'an_1',
      text: 'Welcome.',
      link: null,
      teams: null,
      from_at: 1000,
      until_at: null,
      removed_at: null,
      created_at: 1000,
      created_by: 'admin',
    }
    const audited = {
      action: 'announcement.new',
      actor: 'admin',
      target: 'an_1',
      at: 1000,
      team_id: '',
      before: null,
      after: null,
      reason: null,
      bulk_id: null,
    }
    const apply = (after: number, seen: number) =>
      write.applyEventChanges({
        seen,
        event: null,
        newTeams: [],
        changedTeams: [],
        newMembers: [],
        changedMembers: [],
        newKeys: [],
        changedKeys: [],
        newAnnouncements: [announcement],
        changedAnnouncements: [],
        audit: [audited],
        judging: { after, records: [record('of the file')], ...without },
      })
    await write.appendJudging({ after: 0, records: [record('1')], ...without })
    expect(await apply(0, 0)).toBeNull()
    expect(await read.readJudging({ after: 1 })).toEqual([])
    expect(await apply(1, 0)).toBe(1)
    expect((await read.readJudging({ after: 1 })).map(({ body }) => body)).toEqual(['of the file'])
  })

  const pair = { judgeId: 'jdg_1', teamId: 'red' }
  const draft = (content: string, seen: number, device: string | null = 'a') => ({
    ...pair,
    content,
    seen,
    device,
    now: 2000 + seen,
  })

  test('a draft is saved only from its newest revision, and of saves at once from the same one only one is', async () => {
    const { read, write } = current()
    expect(await read.readDraft(pair)).toBeNull()
    expect(await write.saveDraft(draft('{"a":1}', 3))).toBe(false)
    for (const seen of [0, 1, 2]) {
      const saves = ['a', 'b', 'c', 'd'].map(async device => {
        const isSaved = await write.saveDraft(draft(JSON.stringify({ device, seen }), seen, device))
        return isSaved ? [device] : []
      })
      const winners = (await Promise.all(saves)).flat()
      expect(winners).toHaveLength(1)
      const [device = ''] = winners
      const content = JSON.stringify({ device, seen })
      expect(await read.readDraft(pair)).toEqual({
        ...pair,
        revision: seen + 1,
        savedAt: 2000 + seen,
        content,
        device,
      })
    }
    expect(await write.saveDraft(draft('{}', 1))).toBe(false)
    await write.saveDraft({ ...draft('{}', 0), teamId: 'blue' })
    await write.saveDraft({ ...draft('{}', 0), judgeId: 'jdg_2' })
    expect(await read.listDraftHeads({ judgeId: 'jdg_2' })).toEqual([
      { judgeId: 'jdg_2', teamId: 'red', revision: 1, savedAt: 2000, device: draft('{}', 0).device },
    ])
    expect(await read.listDraftHeads({ judgeId: null })).toHaveLength(3)
  })

  test('a record with a draft writes both or neither, also when the draft is saved at the same moment', async () => {
    const { read, write } = current()
    const append = (seen: number, after: number) =>
      write.appendJudging({
        after,
        records: [record('done')],
        audit: [],
        draft: draft('{"done":true}', seen),
      })
    expect(await append(1, 0)).toBe(false)
    await write.saveDraft(draft('{"saved":1}', 0))
    expect(await append(1, 7)).toBe(true)
    expect((await read.readDraft(pair))?.revision).toBe(2)
    // Another record has the number: the draft stays as it was.
    expect(await append(2, 7)).toBe(false)
    expect((await read.readDraft(pair))?.revision).toBe(2)
    for (let round = 0; round < 8; round += 1) {
      const seen = 2 + round
      const after = (await read.readJudging({ after: 0 })).at(-1)?.seq ?? 0
      const [isDone, isSaved] = await Promise.all([
        append(seen, after),
        write.saveDraft(draft('{"typed":1}', seen)),
      ])
      expect([isDone, isSaved].filter(Boolean)).toHaveLength(1)
      const found = await read.readDraft(pair)
      expect([found?.revision, found?.content]).toEqual([seen + 1, isDone ? '{"done":true}' : '{"typed":1}'])
    }
  })

  test('of a first save and a record at once, one is refused', async () => {
    const { read, write } = current()
    for (let round = 0; round < 8; round += 1) {
      const of = { ...draft('{}', 0), teamId: `team-${round}` }
      const after = (await read.readJudging({ after: 0 })).at(-1)?.seq ?? 0
      const ended = await Promise.all([
        write.appendJudging({ after, records: [record('done')], audit: [], draft: of }),
        write.saveDraft(of),
      ])
      expect(ended.filter(Boolean)).toHaveLength(1)
      expect((await read.readDraft(of))?.revision).toBe(1)
    }
  })

  test('a sealed record shows every later change of it', async () => {
    const { read, write } = current()
    await write.appendJudging({ after: 0, records: [record('1'), record('2')], ...without })
    const rows = await read.readSealedJudging({ after: 0, limit: 2 })
    expect(rows.map(isJudgingSealed)).toEqual([true, true])
    const [row] = rows
    if (row === undefined) throw new Error('There is no record.')
    const changed = [
      { ...row, seq: 7 },
      { ...row, kind: 'deal' },
      { ...row, at: 1001 },
      { ...row, actor: 'other' },
      { ...row, body: '3' },
      { ...row, salt: new Uint8Array(16) },
      { ...row, salt: new Uint8Array(3) },
      { ...row, commitment: new Uint8Array(32) },
    ]
    expect(changed.map(isJudgingSealed)).toEqual(changed.map(() => false))
    expect(await read.readSealedJudging({ after: 2, limit: 2 })).toEqual([])
  })
}
