// suite: 6 s
// A file creates the event: all of it or nothing, no change the second time, and two organisers lose nothing.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ApplyBody } from '@fairgate/contracts/management/event-file.ts'
import { openTestDirectory } from '../testing/open-test-directory.ts'

let opened: Awaited<ReturnType<typeof openTestDirectory>>

beforeEach(async () => {
  opened = await openTestDirectory()
})
afterEach(() => opened.close())

const file = `event: { name: AI Cup, time_zone: Asia/Seoul, budget: 900 }
limits: { team: { rpm: 300, tpm: 2000000 }, models: { model-2: { rpm: 20 } } }
teams:
  - { id: red, name: Red Pandas, members: [{ name: Haeun, email: haeun@example.org }, { name: Jun, email: jun@example.org }] }
  - { id: blue, name: Blue Hour, members: [{ name: Mira, email: mira@example.org }] }
phases:
  - { name: practice, from: 2026-11-20T13:00, until: 2026-11-21T10:00, budget: 2, models: [fast] }
  - { name: contest, from: 2026-11-21T10:00, until: 2026-11-21T18:00, budget: 25, accounting: new, submissions_until: +15m }
  - { name: judging, from: 2026-11-21T18:00, gateway: closed, entries_until: +45m }
`
/** Before the first phase; otherwise its warnings would need confirmation. */
const before = Date.parse('2026-11-20T00:00:00Z')
const apply = async (body: Partial<ApplyBody> = {}) => {
  const { outcome, made } = await opened.directory.applyEventFile({ file, ...body }, 'organiser')
  return { ...outcome, secrets: made }
}
/** With its warnings confirmed. */
const applyAll = async (body: Partial<ApplyBody> = {}) => {
  const { previewId } = await apply({ ...body, dry_run: true })
  return await apply({ ...body, preview_id: previewId })
}

async function refusalOf(body: Partial<ApplyBody>): Promise<string> {
  try {
    await apply({ ...body, dry_run: true })
  } catch (error) {
    if (error instanceof ApiError) return `${error.param} | ${error.message}`
    throw error
  }
  throw new Error('Nothing was refused.')
}

test('an event file makes everything it names in one change, and nothing a second time', async () => {
  opened.time.now = before
  const version = opened.directory.version()
  const { applied, changes } = await applyAll()
  expect([applied, changes.length > 10]).toEqual([true, true])
  const { event, findTeam, membersOfTeam } = opened.directory
  expect(opened.directory.version()).toBe(version + 1)
  expect(event()).toMatchObject({ name: 'AI Cup', timeZone: 'Asia/Seoul', capNano: 900_000_000_000 })
  expect(event().phases).toMatchObject([
    {
      name: 'practice',
      from: Date.parse('2026-11-20T04:00:00Z'),
      budgetNano: 2_000_000_000,
      models: ['model-1'],
    },
    {
      name: 'contest',
      budgetNano: 25_000_000_000,
      accounting: 'new',
      submissionsUntil: Date.parse('2026-11-21T09:15:00Z'),
    },
    { name: 'judging', until: null, gateway: 'closed', entriesUntil: Date.parse('2026-11-21T09:45:00Z') },
  ])
  expect(findTeam('red')).toMatchObject({ alias: 'Red Pandas', rpmLimit: 300, tpmLimit: 2_000_000 })
  expect(findTeam('red')?.modelRpmLimit).toEqual(new Map([['model-2', 20]]))
  expect(membersOfTeam('red').map(({ name, email }) => [name, email])).toEqual([
    ['Haeun', 'haeun@example.org'],
    ['Jun', 'jun@example.org'],
  ])
  expect(await apply()).toMatchObject({ applied: true, changes: [] })
  expect(opened.directory.version()).toBe(version + 1)
  const actions = (await opened.readAudit()).map(({ action }) => action)
  expect(actions).toEqual(['event.apply', 'team.new', 'team.new', 'member.add', 'member.add', 'member.add'])
  // As after a restart.
  const again = await opened.load()
  expect(again.event()).toEqual(event())
  expect(again.membersOfTeam('red')).toHaveLength(2)
})

test('a file asks for submissions, keeps that when it does not name them, and prune takes it away', async () => {
  opened.time.now = before
  const asked = 'submission: { disclosure: Which tools?, late: refused }'
  const { changes } = await applyAll({ file: asked })
  expect(changes).toMatchObject([{ what: 'event.submission', from: null }])
  const { event } = opened.directory
  expect(event().submission).toEqual({ disclosure: 'Which tools?', max_files: 5, late: 'refused' })
  expect(opened.directory.exportEventFile()).toContain('max_files: 5')
  await applyAll({ file: 'event: { name: AI Cup }' })
  expect(event().submission).not.toBeNull()
  await applyAll({ file: 'event: { name: AI Cup }', prune: true })
  expect(event().submission).toBeNull()
  expect(await refusalOf({ file: 'submission: { max_files: 21 }' })).toContain('submission.max_files')
})

test('an exported file changes nothing when applied, here and in an empty directory', async () => {
  opened.time.now = before
  await applyAll()
  await opened.directory.updateTeam({ team_id: 'red', max_budget: 0.3, budget_duration: '1d' }, 'organiser')
  const exported = opened.directory.exportEventFile()
  expect(await apply({ file: exported })).toMatchObject({ changes: [] })
  expect(await apply({ file: exported, prune: true })).toMatchObject({ changes: [] })
  const other = await openTestDirectory()
  other.time.now = before
  const { outcome } = await other.directory.applyEventFile({ file: exported, dry_run: true }, 'other')
  await other.directory.applyEventFile({ file: exported, preview_id: outcome.previewId }, 'other')
  expect(other.directory.exportEventFile()).toBe(exported)
  await other.close()
})

describe('keys of members', () => {
  const withKeys = (...keys: readonly string[]) =>
    `teams: [{ id: red, members: [{ name: Haeun, keys: [${keys.join(', ')}] }, { name: Jun }] }]`
  const laptop = '{ alias: laptop, budget: 5, rpm: 30, parallel: 2, models: [fast] }'
  const show = (changes: readonly { what: string; subject: string; from: unknown; to: unknown }[]) =>
    changes.map(({ what, subject, from, to }) => `${what} ${subject} ${from} ${to}`)

  test('are made with their member and shown once, and not made a second time', async () => {
    const { changes, secrets } = await apply({ file: withKeys(laptop, '{ alias: ci }') })
    expect(show(changes)).toContain('key red/Haeun/laptop null laptop')
    expect(show(changes)).toContain('key.budget_nano red/Haeun/laptop null 5000000000')
    const [haeun] = opened.directory.membersOfTeam('red')
    expect(secrets).toMatchObject([{ team_id: 'red', member: 'Haeun', alias: 'laptop' }, { alias: 'ci' }])
    expect(secrets?.map(({ key }) => key.slice(0, 3))).toEqual(['sk-', 'sk-'])
    expect(JSON.stringify(changes)).not.toContain('sk-')
    const digest = new Bun.CryptoHasher('sha256').update(secrets?.[0]?.key ?? '').digest('hex')
    expect(opened.directory.findKey(digest)).toMatchObject({
      memberId: haeun?.memberId,
      alias: 'laptop',
      maxBudget: 5_000_000_000,
      rpmLimit: 30,
      maxParallelRequests: 2,
      models: ['model-1'],
    })
    expect(await apply({ file: withKeys(laptop, '{ alias: ci }') })).toMatchObject({
      changes: [],
      secrets: [],
    })
    expect((await opened.load()).keysOfTeam('red')).toHaveLength(2)
    expect((await opened.readAudit()).filter(({ action }) => action === 'key.generate')).toHaveLength(2)
  })

  test('are changed by alias; absent members stay', async () => {
    await apply({ file: withKeys(laptop) })
    const { changes, secrets } = await apply({ file: withKeys('{ alias: laptop, rpm: 60, budget: null }') })
    expect(show(changes)).toEqual([
      'key.budget_nano red/Haeun/laptop 5000000000 null',
      'key.rpm red/Haeun/laptop 30 60',
    ])
    expect(secrets).toEqual([])
    expect(opened.directory.keysOfTeam('red')).toMatchObject([
      { maxParallelRequests: 2, models: ['model-1'] },
    ])
  })

  test('that are not listed stay, unless the file prunes and lists others of the member', async () => {
    await apply({ file: withKeys(laptop, '{ alias: ci }') })
    expect((await apply({ file: withKeys('{ alias: ci }') })).changes).toEqual([])
    const { changes, warnings } = await apply({ file: withKeys('{ alias: ci }'), prune: true, dry_run: true })
    expect(show(changes)).toContain('key.blocked red/Haeun/laptop false true')
    expect(warnings).toContain('1 keys that the file does not list would stop working.')
    await applyAll({ file: 'teams: [{ id: red, members: [{ name: Haeun }] }]', prune: true })
    expect(opened.directory.keysOfTeam('red').map(({ blocked }) => blocked === true)).toEqual([false, false])
  })

  test('are part of the export, without their secrets', async () => {
    await apply({ file: withKeys(laptop, '{ alias: ci }') })
    const exported = opened.directory.exportEventFile()
    expect(exported).toContain('alias: laptop')
    expect(exported).not.toContain('sk-')
    expect((await apply({ file: exported, prune: true })).changes).toEqual([])
    await opened.directory.generateKey({ team_id: 'red', key_alias: 'of the team' }, 'organiser')
    expect(opened.directory.exportEventFile()).toBe(exported)
  })

  test('are neither made nor shown by a dry run', async () => {
    expect(await apply({ file: withKeys(laptop), dry_run: true })).toMatchObject({
      applied: false,
      secrets: null,
    })
    expect(opened.directory.keys()).toEqual([])
  })

  test.each([
    ['{ rpm: 3 }', 'teams[0].members[0].keys[0].alias'],
    ['{ alias: a, budget: -1 }', 'teams[0].members[0].keys[0].budget'],
    ['{ alias: a, budget_duration: soon }', 'teams[0].members[0].keys[0].budget_duration'],
    ['{ alias: a, models: [nothing] }', 'teams[0].members[0].keys[0].models'],
    ['{ alias: a, parallel: 0 }', 'teams[0].members[0].keys[0].parallel'],
    ['{ alias: a, key: sk-mine }', 'teams[0].members[0].keys[0].key'],
    ['{ alias: a }, { alias: a }', 'teams[0].members[0].keys[1].alias'],
  ])('%s is refused with its line', async (keys, param) => {
    const refusal = await refusalOf({ file: withKeys(keys) })
    expect(refusal).toStartWith(param)
    expect(refusal).toContain('ine 1:')
    expect(opened.directory.teams()).toEqual([])
  })

  test('an alias that two keys of the member share is refused', async () => {
    await apply({ file: withKeys(laptop) })
    const [haeun] = opened.directory.membersOfTeam('red')
    const twin = { team_id: 'red', key_alias: 'laptop', member_id: haeun?.memberId ?? '' }
    await opened.directory.generateKey(twin, 'organiser')
    expect(await refusalOf({ file: withKeys(laptop) })).toContain('"Haeun" has 2 keys with this alias')
    expect(opened.directory.exportEventFile()).not.toContain('laptop')
  })
})

describe('what the file does not name', () => {
  test('stays as it is', async () => {
    opened.time.now = before
    await applyAll()
    await opened.directory.createTeam({ team_id: 'green', rpm_limit: 7 }, 'organiser')
    await opened.directory.updateTeam({ team_id: 'red', max_budget: 5 }, 'organiser')
    const { changes } = await applyAll({ file: 'teams: [{ id: red, tpm: 9 }]' })
    expect(changes).toEqual([{ what: 'team.tpm', subject: 'red', from: 2_000_000, to: 9, count: 1 }])
    expect(opened.directory.event().phases).toHaveLength(3)
    expect(opened.directory.findTeam('red')).toMatchObject({ maxBudget: 5_000_000_000, rpmLimit: 300 })
  })

  test('is removed by prune, which needs confirmation before it blocks teams', async () => {
    opened.time.now = before
    await applyAll()
    const pruned = { file: 'event: { name: AI Cup }\nteams: [{ id: red, rpm: 300 }]', prune: true }
    const { changes, warnings } = await apply({ ...pruned, dry_run: true })
    expect(warnings).toContain('The keys of 1 teams would stop working: blue.')
    expect(changes.map(({ what, subject, to }) => `${what} ${subject} ${to}`)).toEqual([
      'event.cap_nano event null',
      'phase practice null',
      'phase contest null',
      'phase judging null',
      'team.name red red',
      'team.tpm red null',
      'team.model_limits.model-2.rpm red null',
      'team.blocked blue true',
    ])
    await applyAll(pruned)
    expect(opened.directory.findTeam('blue')?.blocked).toBe(true)
    expect(opened.directory.membersOfTeam('red')).toHaveLength(2)
  })

  test('a team with its own limits keeps them over the shared ones', async () => {
    const own =
      'limits: { team: { rpm: 5 }, models: { fast: { rpm: 1 } } }\nteams: [{ id: red, rpm: 9, model_limits: { model-1: { tpm: 2 } } }, { id: blue }]'
    await applyAll({ file: own })
    const { findTeam } = opened.directory
    expect([findTeam('red')?.rpmLimit, findTeam('blue')?.rpmLimit]).toEqual([9, 5])
    expect([findTeam('red')?.modelRpmLimit, findTeam('red')?.modelTpmLimit]).toEqual([
      new Map([['model-1', 1]]),
      new Map([['model-1', 2]]),
    ])
  })
})

describe('members of a CSV file', () => {
  const withFile = 'teams: [{ id: red }, { id: blue }]\nmembers: members.csv\n'
  test('join their teams', async () => {
    const csv = '\ufeffname,team,email\r\n"Kim, Haeun",red,haeun@example.org\r\n\r\n"Mira ""M"" Oh",blue,\r\n'
    await applyAll({ file: withFile, files: { 'members.csv': csv } })
    const { membersOfTeam } = opened.directory
    expect(membersOfTeam('red')).toMatchObject([{ name: 'Kim, Haeun', email: 'haeun@example.org' }])
    expect(membersOfTeam('blue')).toMatchObject([{ name: 'Mira "M" Oh', email: null }])
  })

  test.each<[string, Record<string, string>, string]>([
    ['is missing', {}, 'line 2: The file members.csv was not sent.'],
    [
      'has no columns',
      { 'members.csv': 'red,Jun\n' },
      'members.csv, line 1: the first line must have the columns',
    ],
    ['has an unknown team', { 'members.csv': 'team,name\ngreen,Jun\n' }, 'names the team "green"'],
    [
      'has no name',
      { 'members.csv': 'team,name\nred,Jun\nblue,\n' },
      'members.csv, line 3: the name is missing',
    ],
    [
      'has no address',
      { 'members.csv': 'team,name,email\nred,Jun,jun\n' },
      'line 2: "jun" is not an email address',
    ],
    ['has an open quote', { 'members.csv': 'team,name\nred,"Jun\n' }, 'A quote in line 2'],
  ])('one that %s is refused', async (_, files, message) => {
    expect(await refusalOf({ file: withFile, files })).toContain(message)
  })
})

test.each<[string, string]>([
  ['event: { name: A, time_zone: Seoul }', 'event.time_zone | line 1: '],
  ['event: {}\nteams:\n  - { id: red }\n  - { id: red }', 'teams[1].id | line 4: '],
  ['teams:\n  - id: red\n    rpm: -1', 'teams[0].rpm | line 3: '],
  ['teams:\n  - id: red\n    color: blue', 'teams[0].color | line 3: teams[0].color is not a known member.'],
  ['teams:\n  - name: Red', 'teams[0].id | line 2: teams[0].id is required.'],
  ['teams:\n  - id: red\n    budget_duration: 3x', 'teams[0].budget_duration | line 3: '],
  [
    'teams:\n  - id: red\n    model_limits: { nothing: { rpm: 1 } }',
    'teams[0].model_limits.nothing | line 3: ',
  ],
  ['limits: { models: { nothing: { rpm: 1 } } }', 'limits.models.nothing | line 1: '],
  [
    'teams:\n  - id: red\n    members:\n      - { name: Jun }\n      - { name: jun }',
    'teams[0].members[1].name | line 5: ',
  ],
  [
    'phases:\n  - name: a\n    from: 2026-11-21T10:00\n    until: 2026-11-21T09:00',
    'phases[0].until | line 4: ',
  ],
  [
    'phases:\n  - name: a\n    from: 2026-11-21T10:00\n    models: [fast, nothing]',
    'phases[0].models[1] | line 4: ',
  ],
  [
    'event: { time_zone: Europe/Berlin }\nphases:\n  - { name: a, from: 2026-10-25T02:30 }',
    'phases[0].from | line 3: ',
  ],
  ['teams: [', 'file | line 1: '],
  ['event: { name: A }\nevent: { name: B }', 'file | line 2: '],
  ['- red', 'file | line 1: '],
])('an error is reported with line and member, and nothing is changed: %j', async (faulty, reported) => {
  expect(await refusalOf({ file: faulty })).toStartWith(reported)
  expect(opened.directory.version()).toBe(0)
})

test('of two organisers the later one is refused, and nothing is lost', async () => {
  opened.time.now = before
  await applyAll()
  const mine = { file: 'teams: [{ id: red, rpm: 1 }]' }
  const { previewId } = await apply({ ...mine, dry_run: true })
  await applyAll({ file: 'teams: [{ id: red, tpm: 2 }]' })
  expect(await apply({ ...mine, preview_id: previewId }).catch((error: ApiError) => error.code)).toBe(
    'preview_outdated',
  )
  await applyAll(mine)
  expect(opened.directory.findTeam('red')).toMatchObject({ rpmLimit: 1, tpmLimit: 2 })
})

test('changes of another process are read first, and the file is applied to them', async () => {
  const other = await opened.load()
  await other.createTeam({ team_id: 'red', rpm_limit: 7 }, 'other')
  await apply({ file: 'teams: [{ id: red, tpm: 2 }]' })
  expect(opened.directory.findTeam('red')).toMatchObject({ rpmLimit: 7, tpmLimit: 2 })
})

describe('notices', () => {
  const withNotices = (...notices: string[]) =>
    `${file}notices:\n${notices.map(each => `  - ${each}\n`).join('')}`
  const lunch = '{ text: Lunch, until: 2026-11-21T14:00, link: "https://a.example/" }'
  const demo = '{ text: Demo, teams: [red], from: 2026-11-21T17:00 }'

  beforeEach(() => {
    opened.time.now = before
  })

  test('are made with the rest, in the event time zone, and a second time nothing changes', async () => {
    const text = withNotices(lunch, demo)
    const { changes } = await applyAll({ file: text })
    expect(changes.filter(({ what }) => what === 'notice')).toMatchObject([
      { subject: 'Lunch', from: null, to: 'all' },
      { subject: 'Demo', from: null, to: 'red' },
    ])
    expect(opened.directory.announcements()).toMatchObject([
      { text: 'Lunch', teams: null, until: Date.parse('2026-11-21T05:00:00Z'), link: 'https://a.example/' },
      { text: 'Demo', teams: ['red'], from: Date.parse('2026-11-21T08:00:00Z'), until: null },
    ])
    expect((await apply({ file: text })).changes).toEqual([])
    const exported = opened.directory.exportEventFile()
    expect(exported).toContain('text: Lunch')
    expect((await apply({ file: exported, prune: true })).changes).toEqual([])
  })

  test('are matched by text, and absent members stay', async () => {
    await applyAll({ file: withNotices(lunch) })
    const { changes } = await applyAll({ file: withNotices('{ text: Lunch, until: 2026-11-21T15:00 }') })
    expect(changes).toMatchObject([
      { what: 'notice.until', subject: 'Lunch', from: '2026-11-21T14:00', to: '2026-11-21T15:00' },
    ])
    expect(opened.directory.announcements()).toMatchObject([{ link: 'https://a.example/' }])
    // Another file of the same process, or another process, reads the same.
    expect((await opened.load()).announcements()).toEqual(opened.directory.announcements())
  })

  test('that the file does not name stay, unless it prunes', async () => {
    await applyAll({ file: withNotices(lunch, demo) })
    expect((await apply({ file: withNotices(demo) })).changes).toEqual([])
    const { changes } = await applyAll({ file: withNotices(demo), prune: true })
    expect(changes).toMatchObject([{ what: 'notice', subject: 'Lunch', from: 'all', to: null }])
    expect(opened.directory.exportEventFile()).not.toContain('Lunch')
  })

  test.each([
    ['{ text: "a\\u202eb" }', 'notices[0].text'],
    ['{ text: a, teams: [green] }', 'notices[0].teams'],
    ['{ text: a, link: "javascript:alert(1)" }', 'notices[0].link'],
    ['{ text: a, from: 2026-11-21T10:00, until: 2026-11-21T10:00 }', 'notices[0].until'],
    ['{ text: a, from: noon }', 'notices[0].from'],
    ['{ text: a, audience: all }', 'notices[0].audience'],
  ])('%s is refused with its line', async (notice, param) => {
    const refusal = await refusalOf({ file: withNotices(notice) })
    expect(refusal).toStartWith(param)
    expect(refusal).toContain('ine 11')
  })

  test('a duplicate is refused', async () => {
    expect(await refusalOf({ file: withNotices(lunch, lunch) })).toStartWith('notices[1].text')
  })
})

test('the demo team is left alone, and taken over by a file that names it', async () => {
  opened.time.now = before
  await opened.directory.createTeam({ team_id: 'demo', rpm_limit: 600 }, 'startup')
  await applyAll({ prune: true })
  expect(opened.directory.findTeam('demo')).toMatchObject({ rpmLimit: 600, blocked: null })
  expect(opened.directory.exportEventFile()).not.toContain('demo')
  await applyAll({ file: 'teams: [{ id: demo, name: Demo }]' })
  expect(opened.directory.findTeam('demo')).toMatchObject({ alias: 'Demo', rpmLimit: 600 })
})
