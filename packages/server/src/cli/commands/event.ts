// `fairgate event …` and `fairgate phase …`: the settings of the event, its phases, and the acts that stop and move it.

import { type EventRecord, eventSchema, type PhaseRecord } from '@fairgate/contracts/management/event.ts'
import { eventFileReplySchema } from '@fairgate/contracts/management/event-file.ts'
import {
  formatLocalMoment,
  formatZonedMoment,
  readLocalMoments,
} from '@fairgate/contracts/text/zoned-time.ts'
import type { Command } from 'commander'
import { type ActOptions, addActOptions, buildActBody, type RunAct } from '../acts.ts'
import type { CommandContext } from '../command-context.ts'
import { refuseUsage } from '../command-failure.ts'
import { type None, nullForNone, orNone, parseList, parseNano, requireChange } from '../options.ts'
import { absent, formatFields, formatNano, formatTable } from '../output/format.ts'

const eventHelp = `
Times without an offset are in the event's time zone. Every act says first whom it meets; with
--dry-run it changes nothing.

Examples:
  $ fairgate event set --name "AI Cup" --time-zone Asia/Seoul --cap 900
  $ fairgate event show
  $ fairgate event pause --reason "fire alarm"
  $ fairgate event resume
  $ fairgate event extend 15m
  $ fairgate event end --dry-run
  $ fairgate event reopen
  $ fairgate event export > event.yaml`

const phaseHelp = `
Once there are phases, paid calls are taken only while an open one lasts.

Examples:
  $ fairgate phase now
  $ fairgate phase list
  $ fairgate phase set contest --from 2026-11-21T10:00 --until 2026-11-21T18:00 --budget 25 --accounting new
  $ fairgate phase set judging --from 2026-11-21T18:00 --gateway closed --entries-until +45m
  $ fairgate phase set contest --until 2026-11-21T19:00
  $ fairgate phase remove practice`

const plainActs = [
  ['pause', 'take no paid calls until the event goes on; running ones end as usual'],
  ['resume', 'let a paused event go on'],
  ['reopen', 'reopen an event that was ended; the phases decide again what is open'],
] as const

export function addEventCommands(program: Command, context: CommandContext, runAct: RunAct): void {
  const group = program.command('event').description('the event: settings, phases, pause and end')
  group.addHelpText('after', eventHelp)
  group
    .command('show')
    .description('settings, phases, and whether paid calls are taken now')
    .action(() => context.show({ get: '/event' }, eventSchema, describeEvent))
  addActOptions(
    group
      .command('set')
      .description('set name, time zone and cap; what is not named stays as it is')
      .option('--name <name>', 'name of the event')
      .option('--time-zone <zone>', 'IANA name, such as Asia/Seoul')
      .option('--cap <usd>', 'the most that all teams together may spend; "none": no cap', orNone(parseNano)),
  ).action(async (options: SetOptions) => {
    const { name, timeZone, cap } = options
    const fields = requireChange({
      ...(name === undefined ? {} : { name }),
      ...(timeZone === undefined ? {} : { time_zone: timeZone }),
      ...(cap === undefined ? {} : { cap_nano: nullForNone(cap) }),
    })
    await runAct({ put: '/event', body: { ...fields, ...buildActBody(options) } }, options)
  })
  group
    .command('export')
    .description('the file that makes event, teams, members and phases what they are; see "fairgate apply"')
    .action(() => context.show({ get: '/event/file' }, eventFileReplySchema, ({ file }) => file.trimEnd()))
  for (const [verb, description] of plainActs) {
    addActOptions(group.command(verb).description(description)).action((options: ActOptions) =>
      runAct({ post: `/event/${verb}`, body: buildActBody(options) }, options),
    )
  }
  addActOptions(
    group
      .command('extend')
      .description('move the end of the present phase, and everything after it')
      .argument('<span>', 'how long, such as 15m or 1h30m')
      .option(
        '--phase <name>',
        'the phase whose end moves, also after it has ended (default: the present one)',
      ),
  ).action(async (by: string, options: ActOptions & { readonly phase?: string }) => {
    const phase = options.phase === undefined ? {} : { phase: options.phase }
    await runAct({ post: '/event/extend', body: { by, ...phase, ...buildActBody(options) } }, options)
  })
  addActOptions(
    group
      .command('end')
      .description('end the event: close the gateway and lock all boards, now or at a time')
      .option('--at <time>', 'ISO 8601 (default: now); one in the past asks first'),
  ).action(async (options: ActOptions & { readonly at?: string }) => {
    const at = options.at === undefined ? {} : { at: options.at }
    await runAct({ post: '/event/end', body: { ...at, ...buildActBody(options) } }, options)
  })
}

type SetOptions = ActOptions & {
  readonly name?: string
  readonly timeZone?: string
  readonly cap?: number | None
}

type PhaseOptions = ActOptions & {
  readonly from?: string
  readonly until?: string
  readonly gateway?: string
  readonly models?: string[] | None
  readonly budget?: number | None
  readonly accounting?: string
  readonly entriesUntil?: string
}

export function addPhaseCommands(program: Command, context: CommandContext, runAct: RunAct): void {
  const group = program
    .command('phase')
    .description('the phases of the event')
    .addHelpText('after', phaseHelp)
  group
    .command('now')
    .description('the present phase, and what comes next')
    .action(() => context.show({ get: '/event' }, eventSchema, describeNow))
  group
    .command('list')
    .description('all phases')
    .action(() => context.show({ get: '/event' }, eventSchema, describePhases))
  addActOptions(
    group
      .command('set')
      .description('add a phase or change one; what is not named stays as it is')
      .argument('<name>', 'name of the phase')
      .option('--from <time>', 'start; needed for a new phase')
      .option('--until <time>', 'end, not included; "none" for the last phase')
      .option('--gateway <state>', 'open or closed')
      .option('--models <a,b>', 'models that may be called; "none" takes the list away', orNone(parseList))
      .option(
        '--budget <usd>',
        'takes the place of every team\'s budget; "none" takes it away',
        orNone(parseNano),
      )
      .option('--accounting <how>', 'new: a new budget period starts with the phase; or continue')
      .option(
        '--entries-until <time>',
        'locks the boards; entries of before are taken until then, such as +45m',
      ),
  ).action(async (name: string, options: PhaseOptions) => {
    const event = await context.ask({ get: '/event' }, eventSchema)
    const phases = mergePhase(event, name, options)
    const body = { phases, version: event.version, ...buildActBody(options) }
    await runAct({ put: '/event/phases', body }, options)
  })
  addActOptions(
    group.command('remove').description('take a phase away').argument('<name>', 'name of the phase'),
  ).action(async (name: string, options: ActOptions) => {
    const event = await context.ask({ get: '/event' }, eventSchema)
    const phases = event.phases.filter(phase => phase.name !== name)
    if (phases.length === event.phases.length) throw refuseUsage(`there is no phase "${name}".`)
    await runAct(
      { put: '/event/phases', body: { phases, version: event.version, ...buildActBody(options) } },
      options,
    )
  })
}

type PhaseBody = Readonly<Partial<Record<keyof PhaseRecord, unknown>>> & { readonly from: string }

/** NaN for a time that the server will refuse. */
function startOf(text: string, zone: string): number {
  return readLocalMoments(text, zone)?.[0] ?? Date.parse(text)
}

/** A new phase comes before the first one that starts later. */
function mergePhase(
  { phases, time_zone: zone }: EventRecord,
  name: string,
  options: PhaseOptions,
): readonly PhaseBody[] {
  const { from, until, gateway, models, budget, accounting, entriesUntil } = options
  const fields = requireChange({
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until: nullForNone(until) }),
    ...(gateway === undefined ? {} : { gateway }),
    ...(models === undefined ? {} : { models: nullForNone(models) }),
    ...(budget === undefined ? {} : { budget_nano: nullForNone(budget) }),
    ...(accounting === undefined ? {} : { accounting }),
    ...(entriesUntil === undefined ? {} : { entries_until: nullForNone(entriesUntil) }),
  })
  const index = phases.findIndex(phase => phase.name === name)
  if (index >= 0) return phases.map((phase, place) => (place === index ? { ...phase, ...fields } : phase))
  if (from === undefined) throw refuseUsage(`there is no phase "${name}"; a new one needs --from.`)
  const startsAt = startOf(from, zone)
  const added = { name, ...fields, from }
  const next = phases.findIndex(phase => Date.parse(phase.from) > startsAt)
  return next < 0 ? [...phases, added] : [...phases.slice(0, next), added, ...phases.slice(next)]
}

function describeEvent(event: EventRecord): string {
  const { name, time_zone: zone, cap_nano: cap, paused, ended } = event
  const facts = formatFields([
    ['event', name === '' ? absent : name],
    ['time zone', zone],
    ['cap', cap === null ? 'none' : `${formatNano(cap)} USD over all teams`],
    ['gateway', describeGateway(event)],
    ...(paused === null ? [] : [['paused', describeStop(paused.since, paused.reason, zone)] as const]),
    ...(ended === null ? [] : [['ended', describeStop(ended.at, ended.reason, zone)] as const]),
    ['version', String(event.version)],
  ])
  return event.phases.length === 0 ? facts : `${facts}\n\n${describePhases(event)}`
}

function describeStop(since: string, reason: string, zone: string): string {
  const shown = `from ${showTime(since, zone)}`
  return reason === '' ? shown : `${shown}: ${reason}`
}

function describeGateway({ gateway, changes_at: next, time_zone: zone }: EventRecord): string {
  return next === null ? gateway : `${gateway}; changes at ${showTime(next, zone)}`
}

function describeNow(event: EventRecord): string {
  const { phase, phases, as_of: now } = event
  if (phases.length === 0) return `There are no phases. The gateway is ${event.gateway}.`
  const following = phases.find(({ from }) => Date.parse(from) > Date.parse(now))
  return formatFields([
    ['now', showTime(now, event.time_zone)],
    ['phase', phase ?? 'none'],
    ['gateway', describeGateway(event)],
    [
      'next',
      following === undefined
        ? 'nothing'
        : `${following.name} at ${showTime(following.from, event.time_zone)}`,
    ],
  ])
}

function describePhases({ phases, time_zone: zone, phase: present }: EventRecord): string {
  if (phases.length === 0) return 'No phases yet. Make one with "fairgate phase set".'
  const show = (time: string | null) => (time === null ? absent : formatLocalMoment(Date.parse(time), zone))
  return formatTable(
    ['PHASE', 'FROM', 'UNTIL', 'GATEWAY', 'BUDGET', 'ACCOUNTING', 'ENTRIES UNTIL', 'MODELS', ''],
    phases.map(phase => [
      phase.name,
      show(phase.from),
      show(phase.until),
      phase.gateway,
      phase.budget_nano === null ? absent : formatNano(phase.budget_nano),
      phase.accounting,
      show(phase.entries_until),
      phase.models === null ? 'all' : phase.models.join(', '),
      phase.name === present ? 'now' : '',
    ]),
  )
}

function showTime(time: string, zone: string): string {
  return formatZonedMoment(Date.parse(time), zone)
}
