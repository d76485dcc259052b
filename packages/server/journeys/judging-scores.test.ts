// suite: test on sqlite and postgres; invariant; 12 s
// Judges score on two devices each, on PostgreSQL through two processes, while a process is killed: no acknowledged text is lost.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type {
  JudgementReply,
  JudgingVerification,
  ProgressReply,
} from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { createManagement } from './testing/management.ts'
import { openPanel, type PanelJudge } from './testing/panel-judges.ts'
import { type SpawnedFairgate, spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'

let place: Surroundings
beforeAll(async () => {
  place = await createSurroundings()
})
afterAll(() => place.remove())

const setup: JudgingSetup = {
  criteria: [{ id: 'direction', name: 'Direction', weight: 1, max: 5 }],
  ranking: 'mean',
  ties: [{ by: 'head_judge' }],
  judges_per_team: 2,
  minutes_per_team: 10,
  minutes_per_judge: 120,
  seed: '4 2',
}
const names = ['Ada', 'Ben', 'Cem', 'Dana', 'Eli', 'Fay']
const teams = ['red', 'blue', 'green']

/** The words of a device that the server has acknowledged. */
type Acknowledged = { readonly judge: PanelJudge; readonly team: string; readonly words: string[] }

const read = async (judge: PanelJudge, team: string) =>
  (await (await judge.ask('GET', `/judging/scores/${team}`)).json()) as JudgementReply

/** Adds words to a comment until the server is gone, as a page does that joins what another device has saved. */
async function type(
  { judge, team, words }: Acknowledged,
  ask: PanelJudge['ask'],
  device: string,
): Promise<void> {
  for (let count = 0; ; count += 1) {
    try {
      const { own } = (await (await ask('GET', `/judging/scores/${team}`)).json()) as JudgementReply
      const word = `${judge.name}-${team}-${device}-${count}`
      const scores = { direction: { score: 3 } }
      const body = { scores, comment_judges: `${own.comment_judges} ${word}`, revision: own.revision, device }
      const { status } = await ask('PUT', `/judging/scores/${team}`, body)
      if (status === 200) words.push(word)
      else expect([status, word]).toEqual([409, word])
    } catch {
      return
    }
  }
}

// Shown to fail by saving whatever the revision is (without `.where('revision', '=', seen)` in store/statements/judging-drafts.ts), and by answering
// before the draft is written (`void write.saveDraft(…)` in judging/scoring-service.ts).
test('kill -9 while all judges type on two devices each: every acknowledged word is there, and all can finish at once', async () => {
  const { variables } = place
  const isShared = place.databaseUrl !== null
  const killed = await spawnFairgate({ variables })
  const other = isShared ? await spawnFairgate({ variables }) : killed
  const manage = createManagement(killed.adminUrl, adminKey)
  for (const team of teams) await manage.team(team)
  const judges = await openPanel({ adminUrl: killed.adminUrl, manage }, setup, names)
  const queues = await Promise.all(
    judges.map(async judge => {
      const reply = (await (await judge.ask('GET', '/judging/queue')).json()) as {
        readonly items: readonly { readonly team: string }[]
      }
      return reply.items.map(({ team }): Acknowledged => ({ judge, team, words: [] }))
    }),
  )
  const all = queues.flat()
  expect(all).toHaveLength(names.length)
  const typing = all.flatMap(own => [
    type(own, own.judge.ask, 'laptop'),
    type(own, own.judge.at(other.adminUrl), 'phone'),
  ])
  const count = () => all.reduce((sum, { words }) => sum + words.length, 0)
  while (count() < 120) await Bun.sleep(5)
  for (const server of new Set([killed, other])) server.kill('SIGKILL')
  await Promise.all([killed.exited, other.exited])
  await Promise.all(typing)

  const restarted = await spawnFairgate({ variables })
  const moved = judges.map(judge => ({ ...judge, ask: judge.at(restarted.adminUrl) }))
  const judgeOf = ({ judge }: Acknowledged) => moved.find(({ judgeId }) => judgeId === judge.judgeId) ?? judge
  for (const own of all) {
    const { own: found } = await read(judgeOf(own), own.team)
    const kept = new Set(found.comment_judges?.split(' '))
    expect(own.words.filter(word => !kept.has(word))).toEqual([])
    expect(found.revision).toBeGreaterThanOrEqual(own.words.length)
  }
  const done = await Promise.all(
    all.map(async own => {
      const { own: found } = await read(judgeOf(own), own.team)
      const body = { revision: found.revision }
      return (await judgeOf(own).ask('POST', `/judging/scores/${own.team}/done`, body)).status
    }),
  )
  expect(done).toEqual(all.map(() => 200))
  await checkRecord(restarted)
  restarted.kill('SIGTERM')
  await restarted.exited
}, 300_000)

async function checkRecord({ adminUrl }: SpawnedFairgate): Promise<void> {
  const { call } = createManagement(adminUrl, adminKey)
  const verified = (await (await call('GET', '/judging/verify')).json()) as JudgingVerification
  expect(verified).toMatchObject({ ok: true, problem: null })
  const progress = (await (await call('GET', '/judging/progress')).json()) as ProgressReply
  expect(progress).toMatchObject({ assigned: names.length, done: names.length })
}
