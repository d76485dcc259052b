// Judging that is under way, made through the admin door: a panel with conflicts, a deal, and judges who are done, reading, late or absent.

import type { JudgeCodesReply } from '@fairgate/contracts/judging/codes.ts'
import type { JudgeList } from '@fairgate/contracts/judging/panel.ts'
import type { JudgementReply } from '@fairgate/contracts/judging/scores.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import type { NewAdminKeyReply } from '@fairgate/contracts/management/access.ts'
import type { Management } from '../../testing/management.ts'

export type SeededJudging = {
  readonly judges: JudgeList['items']
  /** Key of a head judge. */
  readonly headJudgeKey: string
  readonly codes: JudgeCodesReply['items']
}

const firstNames = ['Mira', 'Tomás', 'Aiko', 'Lena', 'Jonas', 'Priya', 'Sami', 'Olga', 'Chen', 'Nuria']
const lastNames = ['Lang', 'Okafor', 'Sato', 'Becker']

export const judgingSetup: JudgingSetup = {
  criteria: [
    {
      id: 'direction',
      name: 'Direction',
      help: 'Who decided what was built, the person or the tool?',
      weight: 2,
      max: 5,
      anchors: [
        { score: 1, text: 'Accepted what the tool proposed.' },
        { score: 3, text: 'Corrected it, with a plan that changed under way.' },
        { score: 5, text: 'Gave direction throughout, with reasons.' },
      ],
    },
    {
      id: 'checking',
      name: 'Checking',
      help: 'Reads, tests and corrects what came back.',
      weight: 2,
      max: 5,
    },
    { id: 'idea', name: 'Idea', weight: 1, max: 10 },
  ],
  gates: [{ id: 'rules', name: 'Keeps to the rules of the event' }],
  ranking: 'mean',
  ties: [{ by: 'criterion', criterion: 'direction' }, { by: 'order' }, { by: 'head_judge' }],
  judges_per_team: 3,
  minutes_per_team: 12,
  minutes_per_judge: 120,
  seed: '4 2 6 1 3 5',
}

/** `count`: judges. The first ones have done all or some of their teams. */
export async function seedJudging(
  adminUrl: string,
  manage: Management,
  teams: readonly string[],
  count = 8,
): Promise<SeededJudging> {
  const [calibration = '', tagged = '', refused = ''] = teams
  const setup = {
    ...judgingSetup,
    calibration_team: calibration,
    team_tags: { [tagged]: ['Harbour College'] },
  }
  await manage.call('PUT', '/judging/setup', { setup })
  const names = Array.from({ length: count }, (_, at) => {
    const first = firstNames[at % firstNames.length] ?? ''
    return `${first} ${lastNames[Math.floor(at / firstNames.length) % lastNames.length] ?? ''}`
  })
  const { items } = await manage.post<JudgeList>('/judging/judges', {
    judges: names.map((name, at) => ({
      name,
      email: `${name
        .split(' ')[0]
        ?.normalize('NFKD')
        .replaceAll(/\P{ASCII}/gu, '')
        .toLowerCase()}${at}@judges.example`,
      tags: at === 1 ? ['Harbour College'] : [],
    })),
  })
  const conflicted = items.at(-2)
  await manage.post('/judging/conflicts', {
    team_id: refused,
    judge_id: conflicted?.judge_id,
    reason: 'Mentor of the team',
  })
  await manage.change('POST', '/judging/deal')
  const absent = items.at(-1)
  await manage.change('POST', '/judging/deal', { replace: absent?.judge_id })
  const codes = await manage.post<JudgeCodesReply>('/judging/codes', { judges: 'all' })
  const { items: judges } = (await (await manage.call('GET', '/judging/judges')).json()) as JudgeList
  const active = judges.filter(judge => !judge.absent)
  for (const [at, judge] of active.entries()) {
    const code = codes.items.find(({ judge_id }) => judge_id === judge.judge_id)?.code ?? ''
    const done = at < active.length / 3 ? judge.teams.length : at < (active.length * 2) / 3 ? 2 : 0
    // The last ones have not signed in yet.
    if (at < active.length - 2) await work(adminUrl, code, judge.teams.slice(0, done), at % 3 === 0)
  }
  const { key } = await manage.post<NewAdminKeyReply>('/admin_keys', {
    name: 'Hana Head',
    role: 'head_judge',
  })
  return { judges, headJudgeKey: key, codes: codes.items }
}

/** Signs in, finishes these teams, and puts them in order. */
async function work(adminUrl: string, code: string, teams: readonly string[], puts: boolean): Promise<void> {
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const signedIn = await fetch(`${adminUrl}/judging/sign-in`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ code }),
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const ask = async <Reply>(method: string, path: string, body: object): Promise<Reply> => {
    const reply = await fetch(adminUrl + path, {
      method,
      headers: { ...headers, cookie },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`)
    return (await reply.json()) as Reply
  }
  for (const [at, team] of teams.entries()) {
    const { own } = await ask<JudgementReply>('PUT', `/judging/scores/${team}`, {
      scores: {
        direction: { score: (at + 3) % 6, why: 'Plans before it builds' },
        checking: { score: (at + 4) % 6 },
        idea: { score: (at * 3) % 11 },
      },
      gates: { rules: true },
      revision: 0,
    })
    await ask('POST', `/judging/scores/${team}/done`, { revision: own.revision })
  }
  if (puts && teams.length > 1) await ask('PUT', '/judging/order', { teams, revision: 0 })
}
