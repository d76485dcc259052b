// Faults in the limits that an event adds: its cap over all teams, phases and the end to the millisecond, and the lines before scarce models.
import type { Mutation, NoticingTest } from './mutations.ts'

type Fault = readonly [name: string, find: string, replace: string]

const inFile = (file: string, by: NoticingTest, ...faults: readonly Fault[]): Mutation[] =>
  faults.map(([name, find, replace]) => ({ file, name, find, replace, noticedBy: [by] }))

const anywhere = (suite: string, test: string): NoticingTest => ({ suite, test, needsPostgres: false })
const onPostgres = (suite: string, test: string): NoticingTest => ({ suite, test, needsPostgres: true })

const phases = anywhere('src/directory/event/event.test.ts', 'the gateway')
const moments = anywhere('src/ledger/event-limits.test.ts', 'limitsOfEvent')
const lines = anywhere('src/limits/fair/fair-lines.test.ts', '')
const refusals = anywhere('src/limits/fair/upstream-simulation.test.ts', 'no call of an honest team waits')
const crowds = anywhere('src/limits/fair/simulation.test.ts', 'one line: ')
const manyLines = anywhere('src/limits/fair/simulation.test.ts', 'sets of lines before one window')
const histories = anywhere('src/limits/memory/simulation.test.ts', 'every decision, refusal and figure')
const shared = (test: string) => onPostgres('src/limits/shared/shared-limits.test.ts', test)
const ofRaces = onPostgres('src/limits/shared/races.test.ts', 'the cap of an event pays')

export const eventMutations: readonly Mutation[] = [
  ...inFile(
    'directory/event/event.ts',
    phases,
    ['an end by hand begins a millisecond late', 'ended.at <= now)', 'ended.at < now)'],
    [
      'a planned end ends nothing',
      'until: earliest(phase?.until ?? null, ended?.at ?? null)',
      'until: phase?.until ?? null',
    ],
    [
      'a pause outlives the contest',
      "if (phase?.gateway === 'closed' ||",
      "if (paused !== null) return { kind: 'paused', ...paused }\n  if (phase?.gateway === 'closed' ||",
    ],
  ),
  ...inFile(
    'ledger/event-limits.ts',
    moments,
    [
      'the budget of a phase stays after it',
      'lastOpenPhase(phases, now)?.budgetNano ?? null',
      'phases.findLast(({ from }) => from <= now)?.budgetNano ?? null',
    ],
    ['the next phase does not end earlier levels', '(next?.from ?? null)', 'null'],
    ['every phase begins a period', "accounting === 'new' && from <= now", 'from <= now'],
  ),
  ...inFile(
    'limits/build-levels.ts',
    histories,
    ['the budget of a phase does not count', 'event?.teamBudget ?? team.maxBudget', 'team.maxBudget'],
    ['the cap of the event is forgotten', "  addBudget(budgets, 'event', event?.cap)\n", ''],
    ['a phase begins no period', 'const since = event?.since ?? null', 'const since = null'],
  ),
  ...inFile(
    'limits/levels.ts',
    histories,
    ['levels hold a millisecond too long', 'until <= now', 'until < now'],
    ['calls for information end with the phase', 'modelId !== null && until', 'until'],
    ['a period is reported to end after its phase', 'until <= end ? null : end', 'false ? null : end'],
  ),
  ...inFile(
    'limits/memory/create-memory-limits.ts',
    histories,
    [
      'charges do not count for the event',
      'settle(eventPeriodStart, call.ofEvent, cost)',
      'settle(eventPeriodStart, call.ofEvent, nanoDollars(0))',
    ],
    [
      'no money of the event is held',
      'callStates.event.hold(ofEvent)',
      'callStates.event.hold(nanoDollars(0))',
    ],
    [
      'corrections do not count for the event',
      '    this.#states.event.adjust(eventPeriodStart, amount)\n',
      '',
    ],
  ),
  ...inFile('limits/shared/budget-periods.ts', shared('the clock of the database ends periods and phases'), [
    'the database does not know when the phase ends',
    'end: firstOf(end, levels.modelId === null ? null : levels.until)',
    'end: firstOf(end, null)',
  ]),
  ...inFile('store/postgres/functions/admit-2.ts', ofRaces, [
    'a batch takes nothing of the event',
    'if level > 0 then\n        taken_nano',
    'if false then\n        taken_nano',
  ]),
  ...inFile(
    'store/postgres/functions/settle-2.ts',
    onPostgres('src/limits/shared/simulation.test.ts', '1: every decision'),
    [
      'a batch of charges keeps what it held of the event',
      'coalesce((select sum(g.event_nano) from unnest(gone) g), 0)',
      '0',
    ],
  ),
  ...inFile(
    'limits/fair/fair-line.ts',
    crowds,
    [
      'the team with the largest share is next',
      'left.share - right.share || left.since',
      'right.share - left.share || left.since',
    ],
    [
      'a call refused by its own limits keeps its place',
      'if (decision.admitted || !isOfService(decision)) {',
      'if (decision.admitted) {',
    ],
    ['shares do not matter', 'left.share - right.share || left.since', 'left.since'],
    ['a hopeless call takes what is left for others', '>= 1 / this.#shares.countRivals(now)', '>= 2'],
    ['lines move as fast as calls arrive', '(recentMs * requests) / Math.max(rate.requests, 1)', '0'],
    [
      'lines are slower than the window',
      '(recentMs * requests) / Math.max(rate.requests, 1)',
      '(2 * recentMs * requests) / Math.max(rate.requests, 1)',
    ],
    [
      'a call waits longer than it asked for',
      'after(patience.waitMs, leave)',
      'after(2 * patience.waitMs, leave)',
    ],
  ),
  ...inFile(
    'limits/fair/fair-line.ts',
    lines,
    [
      'the error at the end of a phase breaks the timer',
      '          reject(error)\n',
      '          throw error\n',
    ],
    ['a line without an end', 'ahead >= maxPerTeam', 'false'],
    ['a team alone is slowed down', '|| this.#shares.countRivals(now) < 2 ?', '?'],
    [
      'a call waiting for its own pace holds up others',
      'if (this.#ownNextAt(teamId, now) <= now) return',
      'return',
    ],
    ['old refusals slow down all teams again', 'this.#shares.forgetRefused()', ''],
    ['refusals at other processes do not count', 'this.#shares.hearRefused(teamId, now)', '{}'],
    [
      'the pace of another process counts here',
      'this.#paceMs(requests, tokens)\n',
      'requests * 1000 + 0 * tokens\n',
    ],
  ),
  ...inFile('limits/fair/learned-pace.ts', lines, [
    'the learned pace of an upstream does not grow',
    'perMinute *= growth',
    'perMinute *= 1',
  ]),
  ...inFile('limits/fair/recent-shares.ts', refusals, [
    'refusals of any two teams slow down everyone',
    'return this.#refusedAt.size * 2 > teams',
    'return teams > 0',
  ]),
  ...inFile(
    'limits/fair/fair-line.ts',
    anywhere('src/gateway/flow/admit.test.ts', 'a call that waits while the event'),
    ['a call that has waited is admitted as it arrived', 'admit(waiting.renew())', 'admit(waiting.request)'],
  ),
  ...inFile('limits/fair/recent-shares.ts', crowds, [
    'tokens do not count in shares',
    'amount / Math.max(tokens, 1)',
    '0',
  ]),
  ...inFile(
    'limits/fair/recent-shares.ts',
    manyLines,
    ['calls admitted elsewhere do not count', 'let count = elsewhere?.given ?? 0', 'let count = 0'],
    [
      'others count as idle until they report',
      'count += (since.given + since.givenBefore) * this.#processes',
      'count += 0',
    ],
  ),
  ...inFile('limits/fair/fair-line.ts', manyLines, [
    'each process has its own pace',
    'if (paceMs > 0) this.#nextAt',
    'if (paceMs < 0) this.#nextAt',
  ]),
  ...inFile('limits/fair/recent-shares.ts', lines, [
    'admitted calls count forever',
    'now - given.at >= recentMs',
    'false',
  ]),
]
