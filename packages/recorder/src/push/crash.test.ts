// suite: invariant; 5 s
// The process may die or the disk fail at any step of writing and sending. Each entry still arrives exactly once and whole.
//
// Shown to fail when waiting files are removed before they are archived, when a claim is marked done before its entry is put, when
// entries are posted without being sealed, when they are written straight to `pending/`, when what a killed hook wrote stays in `tmp/`,
// and when the lock of a dead sender is never taken over.
import { expect, test } from 'bun:test'
import type { LogEntry } from '@fairgate/contracts/logbook/log-entry.ts'
import fc from 'fast-check'
import { saveLogbookUrl, saveToken } from '../config/settings.ts'
import type { CallLogbook } from '../logbook/call-logbook.ts'
import { readArchive } from '../spool/archive.ts'
import { putOnce } from '../spool/claims.ts'
import { noteCompletion } from '../spool/completions.ts'
import type { Files } from '../spool/files.ts'
import type { RecorderMark } from '../spool/numbering.ts'
import { listPending } from '../spool/pending.ts'
import { listRejected } from '../spool/rejected.ts'
import { openSpool } from '../spool/spool.ts'
import { createFailingProcess, type Failure } from '../spool/testing/failing-files.ts'
import { createMemoryFiles } from '../spool/testing/memory-files.ts'
import { runSending } from './run-sending.ts'

type Action =
  | { readonly kind: 'put' | 'put completed later'; readonly count: number }
  | { readonly kind: 'put once'; readonly key: number }
  | { readonly kind: 'send' }

const actions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('put' as const, 'put completed later' as const),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant('put once' as const), key: fc.integer({ min: 0, max: 2 }) }),
  fc.constant({ kind: 'send' as const }),
)

const failures: fc.Arbitrary<Failure> = fc.record({
  at: fc.integer({ min: 0, max: 60 }),
  extent: fc.constantFrom('none', 'half', 'whole'),
  kind: fc.constantFrom('crash', 'fault'),
})

function createWorld() {
  let time = Date.parse('2026-11-21T00:00:00Z')
  let made = 0
  let random = 0
  const claimed = new Set<string>()
  const logbook = new Map<string, Record<string, unknown>>()
  const disk = createMemoryFiles(() => time)
  /** One process after another. Each has its own id and is dead when the next one starts. */
  const startProcess = (files: Files, step: <Value>(run: () => Value) => Value, processId: number) => {
    const open = () =>
      openSpool('/repo/.git/fairgate', {
        files,
        now: () => new Date(time),
        processId,
        random: () => {
          random += 1
          return random / 1e6
        },
      })
    const callLogbook: CallLogbook = async ({ body = '' }) => {
      const { entries }: { entries: Record<string, unknown>[] } = JSON.parse(body)
      step(() => {
        for (const entry of entries) logbook.set(JSON.stringify(entry), entry)
      })
      return {
        kind: 'reply',
        status: 202,
        body: { received: entries.length, rejected: [] },
        isEmpty: false,
        retryAfterMs: null,
        teamId: null,
        location: null,
      }
    }
    const build = (prompt: string): LogEntry => ({
      ts: new Date(time).toISOString(),
      tool: 'codex',
      event: 'Stop',
      session_id: 's',
      repo: 'r',
      branch: 'b',
      commit: 'c',
      student: 'e',
      prompt,
      model: null,
    })
    return {
      /** Returns the prompts that were certainly put. */
      run: async (action: Action): Promise<string[]> => {
        time += 1
        const spool = open()
        if (action.kind === 'send') {
          await runSending({
            spool,
            fallbackFolder: '/home/.fairgate',
            owner: { processId, host: 'h', now: () => time, isAlive: other => other === processId },
            connect: async () => callLogbook,
            // The transcript still has the claimed prompts.
            scan: async () => {
              for (const prompt of claimed)
                putOnce(spool, { key: prompt, by: 'transcript' }, time, () => spool.number(build(prompt)))
            },
            // The transcript has it only when the last process runs.
            startCompleting: () => () => ({ model: processId === 3 ? 'late' : null }),
            remainingMs: () => 1000,
            isPatient: true,
          })
          return []
        }
        if (action.kind === 'put once') {
          const prompt = `once ${action.key}`
          claimed.add(prompt)
          putOnce(spool, { key: prompt, by: 'hook' }, time, () => spool.number(build(prompt)))
          return [prompt]
        }
        const put: string[] = []
        for (let index = 0; index < action.count; index += 1) {
          made += 1
          const prompt = `prompt ${made}`
          const entry = spool.number(build(prompt))
          if (action.kind === 'put completed later')
            noteCompletion(spool, entry.name, { tool: 'codex', transcript: '/t' })
          spool.put(entry)
          put.push(prompt)
        }
        return put
      },
      open,
    }
  }
  return { disk, logbook, startProcess, pass: (milliseconds: number) => (time += milliseconds) }
}

test('after any failure, each recorded entry is in logbook and archive exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { minLength: 1, maxLength: 6 }), failures, async (plan, failure) => {
      const { disk, logbook, startProcess, pass } = createWorld()
      const intact = startProcess(disk, run => run(), 1)
      saveLogbookUrl(intact.open(), 'http://logbook')
      saveToken(intact.open(), 'aitc_x')
      const broken = createFailingProcess(disk, failure)
      const failing = startProcess(broken.files, broken.step, 2)
      const surelyPut: string[] = []
      for (const action of plan) {
        try {
          surelyPut.push(...(await failing.run(action)))
        } catch {
          if (failure.kind === 'crash') break
        }
      }
      // Much later, another process sends what is there.
      pass(300_000)
      const after = startProcess(disk, run => run(), 3)
      await after.run({ kind: 'send' })
      const prompts = [...logbook.values()].map(({ prompt }) => String(prompt))
      expect([...new Set(prompts)].sort()).toEqual([...prompts].sort())
      expect(prompts).toEqual(expect.arrayContaining(surelyPut))
      const marks = [...logbook.values()].map(({ recorder }) => recorder as RecorderMark)
      const numbers = marks.map(({ n }) => n)
      expect(new Set(marks.map(({ id }) => id)).size).toBeLessThanOrEqual(1)
      expect(new Set(numbers).size).toBe(numbers.length)
      // Only what failed may have taken a number in vain.
      expect(Math.max(0, ...numbers) - numbers.length).toBeLessThanOrEqual(broken.hasFailed() ? 1 : 0)
      const spool = after.open()
      expect(listPending(spool)).toEqual([])
      expect(listRejected(spool).filter(({ code }) => code !== 'torn')).toEqual([])
      const archived = readArchive(spool).map(({ text }) => text)
      expect(archived.sort()).toEqual([...logbook.keys()].sort())
    }),
    { numRuns: 3000 },
  )
})

test('a hook that is killed when its entry is written but not yet in its place: the entry arrives', async () => {
  const { disk, logbook, startProcess, pass } = createWorld()
  const intact = startProcess(disk, run => run(), 1)
  saveLogbookUrl(intact.open(), 'http://logbook')
  saveToken(intact.open(), 'aitc_x')
  const { layout, writeAtomically } = intact.open()
  const killed = { ...disk, rename: () => disk.read('never') }
  await startProcess(killed, run => run(), 2).run({ kind: 'put', count: 1 })
  writeAtomically(`${layout.temporary}/torn.json`, '{"ts":"2026-11')
  pass(300_000)
  await startProcess(disk, run => run(), 3).run({ kind: 'send' })
  expect([...logbook.values()].map(({ prompt }) => prompt)).toEqual(['prompt 1'])
  expect(listRejected(intact.open())).toMatchObject([{ name: 'torn.json', code: 'torn' }])
})
